#include "embedding/units.hpp"

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

/// A number that is not negative, followed by one of the units or by nothing.
template <std::size_t N>
std::optional<std::int64_t> parse_quantity(std::string_view text,
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
  if (!factor || number > std::numeric_limits<std::int64_t>::max() / *factor)
    return std::nullopt;
  return number * *factor;
}

} // namespace

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
