#include "scheduling/common/spark_release.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "messages/printable.hpp"

namespace stoker {

namespace {

constexpr std::size_t version_bytes_max = 64;
constexpr std::size_t digits_max = 6;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes the number off the front of a text.
std::optional<int> take_number(std::string_view& from) {
  auto count = static_cast<std::size_t>(
      std::find_if_not(from.begin(), from.end(), is_digit) - from.begin());
  if (count == 0 || count > digits_max)
    return std::nullopt;
  int result = 0;
  std::from_chars(from.data(), from.data() + count, result);
  from.remove_prefix(count);
  return result;
}

bool take_dot(std::string_view& from) {
  if (!from.starts_with('.'))
    return false;
  from.remove_prefix(1);
  return true;
}

/// Whether it may stand behind the numbers.
bool is_addition(std::string_view x) {
  auto plain = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || c == '.' || c == '-' || c == '_' || c == '+';
  };
  return x.empty()
         || ((x.front() == '.' || x.front() == '-')
             && std::all_of(x.begin(), x.end(), plain));
}

} // namespace

std::string to_string(const SparkRelease& x) {
  if (x == SparkRelease{})
    return "the Spark of its driver";
  return "Spark " + std::to_string(x.major) + '.' + std::to_string(x.minor);
}

Result<SparkRelease> spark_release_of(std::string_view version) {
  auto rest = version.substr(0, version_bytes_max + 1);
  auto wrong = invalid(
      "'" + printable(std::string{rest})
      + "' is no version of Spark: three numbers are needed, as in 3.5.9");
  if (version.size() > version_bytes_max)
    return wrong;
  auto major = take_number(rest);
  if (!major || *major == 0 || !take_dot(rest))
    return wrong;
  auto minor = take_number(rest);
  if (!minor || !take_dot(rest) || !take_number(rest) || !is_addition(rest))
    return wrong;
  return SparkRelease{*major, *minor};
}

} // namespace stoker
