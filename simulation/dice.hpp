#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduling/common/instant.hpp"
#include "scheduling/common/random.hpp"

namespace stoker::simulation {

/// Randomness for one purpose: equal seeds and purposes give equal throws,
/// whatever is thrown for other purposes.
class Dice {
public:
  Dice(std::uint64_t seed, std::string_view purpose)
      : random_(mix(seed, purpose)) {
  }

  /// A number of `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low
           + static_cast<std::int64_t>(
               random_.below(static_cast<std::size_t>(high - low + 1)));
  }

  /// The same, for how long something takes.
  Duration lasting(Duration low, Duration high) {
    return Duration{between(low.count(), high.count())};
  }

  bool chance(int percent) {
    return between(0, 99) < percent;
  }

  template <class T>
  const T& any_of(const std::vector<T>& xs) {
    return xs[random_.below(xs.size())];
  }

private:
  static std::uint64_t mix(std::uint64_t seed, std::string_view purpose) {
    auto result = seed * 0x9e3779b97f4a7c15U + 0xcbf29ce484222325U;
    for (auto c : purpose)
      result = (result ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return result;
  }

  Random random_;
};

} // namespace stoker::simulation
