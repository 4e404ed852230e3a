#include "tools/stoker/job_value.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "scheduling/common/limits.hpp"
#include "scheduling/common/units.hpp"
#include "tools/stoker/spelling.hpp"

namespace stoker {

namespace {

/// In quotes, as "'a', 'b' and 'c'".
std::string names_of(const std::vector<std::string_view>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      result += i + 1 == names.size() ? " and " : ", ";
    result += "'" + std::string{names[i]} + "'";
  }
  return result;
}

std::optional<Duration> duration_of(const LocatedJson& json) {
  if (const auto* text = json.as<std::string>())
    return parse_duration(*text);
  const auto* number = json.as<JsonNumber>();
  if (number == nullptr)
    return std::nullopt;
  auto ms = std::ceil(number->value * 1000);
  if (!(ms >= 0 && ms <= static_cast<double>(time_limit_ms_max)))
    return std::nullopt;
  return Duration{static_cast<std::int64_t>(ms)};
}

} // namespace

void JobValue::fail(const std::string& what) const {
  throw WrongJobFile{line(),
                     where_ + (name_.empty() ? "" : name_ + ' ') + what};
}

void JobValue::must_be(const std::string& expected) const {
  fail("must be " + expected);
}

int JobValue::whole(int least, int most) const {
  const auto* x = json_->as<JsonNumber>();
  if (x == nullptr || !x->is_whole || x->whole < least || x->whole > most)
    must_be("a whole number from " + std::to_string(least) + " to "
            + std::to_string(most));
  return static_cast<int>(x->whole);
}

bool JobValue::flag() const {
  const auto* x = json_->as<bool>();
  if (x == nullptr)
    must_be("true or false");
  return *x;
}

std::string JobValue::text(std::size_t bytes_min, std::size_t bytes_max) const {
  const auto* x = json_->as<std::string>();
  if (x == nullptr)
    must_be("a text");
  if (x->size() < bytes_min || x->size() > bytes_max)
    must_be("a text of " + std::to_string(bytes_min) + " to "
            + std::to_string(bytes_max) + " bytes");
  if (x->find('\0') != std::string::npos)
    fail("must not have a NUL character");
  return *x;
}

std::optional<std::string> JobValue::if_text() const {
  const auto* x = json_->as<std::string>();
  return x == nullptr ? std::nullopt : std::optional{*x};
}

Duration JobValue::duration() const {
  auto x = duration_of(*json_);
  if (!x || x->count() <= 0)
    must_be(R"(a number of seconds, or a duration like "10s" or "5m", above 0)"
            " and at most 36500 days");
  return *x;
}

std::string JobValue::written() const {
  if (const auto* x = json_->as<std::string>())
    return *x;
  if (const auto* x = json_->as<JsonNumber>())
    return x->text;
  if (const auto* x = json_->as<bool>())
    return *x ? "true" : "false";
  must_be("a text, a number, true or false");
}

void JobValue::each(const std::string& expected,
                    const std::function<void(const JobValue&)>& take) const {
  const auto* array = json_->as<LocatedJson::Array>();
  if (array == nullptr)
    must_be(expected);
  JobValue element{*json_, where_, "each of " + name_};
  for (const auto& x : *array) {
    element.json_ = &x;
    take(element);
  }
}

std::vector<JobValue> JobValue::list(const std::string& expected) const {
  std::vector<JobValue> result;
  each(expected, [&](const JobValue& x) { result.push_back(x); });
  return result;
}

std::vector<std::pair<std::string, JobValue>> JobValue::members() const {
  std::vector<std::pair<std::string, JobValue>> result;
  for (const auto& member : object())
    result.emplace_back(member.key, inner(member));
  return result;
}

std::optional<JobValue> JobValue::find(std::string_view key) const {
  for (const auto& member : object())
    if (member.key == key)
      return inner(member);
  return std::nullopt;
}

void JobValue::read(const std::vector<Key>& keys) const {
  std::vector<std::string_view> names;
  for (const auto& key : keys)
    names.push_back(key.name);
  for (const auto& member : object()) {
    const Key* found = nullptr;
    for (const auto& key : keys)
      if (key.name == member.key)
        found = &key;
    if (found == nullptr) {
      auto meant = did_you_mean(member.key, names);
      if (meant.empty())
        meant = "; there are " + names_of(names);
      throw WrongJobFile{member.place.line,
                         where_ + "unknown key '" + member.key + "'"
                             + (name_.empty() ? "" : " in " + name_) + meant};
    }
    found->read(inner(member));
  }
}

const LocatedJson::Object& JobValue::object() const {
  const auto* x = json_->as<LocatedJson::Object>();
  if (x == nullptr)
    must_be("an object, {...}");
  return *x;
}

JobValue JobValue::inner(const JsonMember& member) const {
  auto is_quoted = name_.starts_with('\'');
  return {member.value, where_,
          "'" + member.key + "'" + (is_quoted ? " in " + name_ : "")};
}

} // namespace stoker
