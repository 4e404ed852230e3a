#include "web/event_log.hpp"

#include <algorithm>
#include <utility>

#include "web/event_decisions.hpp"

namespace stoker {

namespace {

/// More than a leader takes steps in a millisecond.
constexpr std::uint64_t numbers_of_a_ms = 1000;

/// Whether there is NAME=VALUE, or NAME="VALUE". @param name "": any
bool has_field(std::string_view fields, std::string_view name,
               std::string_view value) {
  for (auto i = fields.find(value); i != std::string_view::npos;
       i = fields.find(value, i + 1)) {
    auto before = fields.substr(0, i);
    auto after = fields.substr(i + value.size());
    if (before.ends_with('"') && after.starts_with('"')) {
      before.remove_suffix(1);
      after.remove_prefix(1);
    }
    if (!before.ends_with('=') || !(after.empty() || after.starts_with(' ')))
      continue;
    before.remove_suffix(1);
    auto begin = before.rfind(' ');
    if (name.empty() || before.substr(begin + 1) == name)
      return true;
  }
  return false;
}

} // namespace

bool names(const LoggedEvent& x, std::string_view what) {
  const auto& fields = x.line.fields;
  if (what.empty())
    return false;
  if (has_field(fields, "", what))
    return true;
  auto slash = what.find('/');
  return slash != std::string_view::npos
         && has_field(fields, "app", what.substr(0, slash))
         && has_field(fields, "executor", what.substr(slash + 1));
}

void EventLog::begin(const StoredState& stored, Instant at) {
  auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, to_ms(at)));
  auto is_first = !lines_;
  last_number_
      = std::max(last_number_ + (is_first ? 0 : 1), ms * numbers_of_a_ms);
  lines_.emplace(stored);
}

void EventLog::note(const Change& change, const ClusterCopy& before,
                    Instant at) {
  if (!lines_)
    return;
  for (auto& line : lines_->of({change})) {
    events_.push_back(
        {++last_number_, at, std::move(line), decision_behind(change, before)});
    if (events_.size() > limit_)
      events_.pop_front();
  }
}

} // namespace stoker
