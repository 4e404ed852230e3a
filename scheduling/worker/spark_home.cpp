#include "scheduling/worker/spark_home.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

namespace stoker {

namespace {

struct ParsedVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
};

/// Takes a number, and the dot behind it, away from the beginning.
std::optional<int> take_version_part(std::string_view& text) {
  int result = 0;
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || result < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.'))
    text.remove_prefix(1);
  return result;
}

/// Of "3.5.9"; what may follow, as in "4.0.0-preview2", makes no difference.
std::optional<ParsedVersion> parse_spark_version(std::string_view text) {
  auto major = take_version_part(text);
  auto minor = major ? take_version_part(text) : std::nullopt;
  if (!minor)
    return std::nullopt;
  return ParsedVersion{*major, *minor, take_version_part(text).value_or(0)};
}

} // namespace

const SparkHome* choose_spark_home(const std::vector<SparkHome>& homes,
                                   const std::string& version) {
  const SparkHome* result = nullptr;
  auto wanted = parse_spark_version(version);
  int best = 0;
  for (const auto& home : homes) {
    if (home.version == version)
      return &home;
    auto offered = parse_spark_version(home.version);
    if (!wanted || !offered || offered->major != wanted->major
        || offered->minor != wanted->minor)
      continue;
    auto difference = offered->patch - wanted->patch;
    auto nearer
        = std::abs(difference) < std::abs(best)
          || (std::abs(difference) == std::abs(best) && difference > best);
    if (result == nullptr || nearer) {
      result = &home;
      best = difference;
    }
  }
  return result;
}

std::vector<std::string> versions_of(const std::vector<SparkHome>& homes) {
  std::vector<std::string> result;
  for (const auto& x : homes)
    if (std::find(result.begin(), result.end(), x.version) == result.end())
      result.push_back(x.version);
  return result;
}

} // namespace stoker
