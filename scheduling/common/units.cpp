#include "scheduling/common/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

namespace stoker {

namespace {

/// A hundred years: added to a time of day, it still is one.
constexpr Duration longest_duration = std::chrono::hours{24} * 36'500;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

struct Quantity {
  std::int64_t number = 0;
  std::int64_t factor = 1;
};

/// A number that is not negative, followed by one of the units or by nothing.
template <std::size_t N>
std::optional<Quantity> split_quantity(std::string_view text,
                                       const std::array<Unit, N>& units,
                                       std::int64_t factor_alone) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0)
    return std::nullopt;
  std::string unit;
  for (const auto* c = rest; c != end; ++c)
    unit += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c - 'A' + 'a') : *c;
  std::optional<std::int64_t> factor;
  if (unit.empty())
    factor = factor_alone;
  for (const auto& x : units)
    if (unit == x.name)
      factor = x.factor;
  return factor ? std::optional{Quantity{number, *factor}} : std::nullopt;
}

bool overflows(const Quantity& x) {
  return x.number > std::numeric_limits<std::int64_t>::max() / x.factor;
}

template <std::size_t N>
std::optional<std::int64_t> parse_quantity(std::string_view text,
                                           const std::array<Unit, N>& units,
                                           std::int64_t factor_alone) {
  auto x = split_quantity(text, units, factor_alone);
  if (!x || overflows(*x))
    return std::nullopt;
  return x->number * x->factor;
}

} // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
    text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
    text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_memory_mb(std::string_view text) {
  constexpr std::int64_t g = 1024;
  constexpr std::int64_t t = g * 1024;
  static constexpr std::array<Unit, 9> units{{{"m", 1},
                                              {"mb", 1},
                                              {"mib", 1},
                                              {"g", g},
                                              {"gb", g},
                                              {"gib", g},
                                              {"t", t},
                                              {"tb", t},
                                              {"tib", t}}};
  return parse_quantity(text, units, 1);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::int64_t k = 1024;
  static constexpr std::array<Unit, 7> units{{{"b", 1},
                                              {"k", k},
                                              {"kb", k},
                                              {"m", k * k},
                                              {"mb", k * k},
                                              {"g", k * k * k},
                                              {"gb", k * k * k}}};
  return parse_quantity(text, units, 1);
}

std::optional<std::int64_t> parse_spark_memory_mb(std::string_view text) {
  constexpr std::int64_t bytes_of_mb = std::int64_t{1} << 20;
  if (auto mb = parse_memory_mb(text))
    return mb;
  auto bytes = parse_bytes(text);
  return bytes ? std::optional{*bytes / bytes_of_mb} : std::nullopt;
}

std::optional<Duration> parse_duration(std::string_view text) {
  static constexpr std::array<Unit, 6> units{{{"ms", 1},
                                              {"s", 1000},
                                              {"m", 60'000},
                                              {"min", 60'000},
                                              {"h", 3'600'000},
                                              {"d", 86'400'000}}};
  auto ms = parse_quantity(text, units, 1000);
  return ms && Duration{*ms} <= longest_duration ? std::optional{Duration{*ms}}
                                                 : std::nullopt;
}

std::optional<std::chrono::seconds> parse_seconds(std::string_view text) {
  constexpr std::int64_t s = 1'000'000;
  static constexpr std::array<Unit, 7> units{{{"us", 1},
                                              {"ms", 1000},
                                              {"s", s},
                                              {"m", 60 * s},
                                              {"min", 60 * s},
                                              {"h", 3600 * s},
                                              {"d", 86'400 * s}}};
  text = trim(text);
  auto negative = text.starts_with('-');
  auto x = split_quantity(text.substr(negative ? 1 : 0), units, s);
  if (!x)
    return std::nullopt;
  auto longest
      = std::chrono::duration_cast<std::chrono::seconds>(longest_duration);
  auto result = longest;
  if (!overflows(*x))
    result = std::min(longest, std::chrono::seconds{x->number * x->factor / s});
  return negative ? -result : result;
}

std::optional<int> parse_count(std::string_view text) {
  int result = 0;
  const auto* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || rest != end)
    return std::nullopt;
  return result;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true")
    return true;
  if (text == "false")
    return false;
  return std::nullopt;
}

std::optional<double> parse_fraction(std::string_view text) {
  double result = 0;
  const auto* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || rest != end || !(result >= 0)
      || result > std::numeric_limits<float>::max())
    return std::nullopt;
  return result;
}

} // namespace stoker
