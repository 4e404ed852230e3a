#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace stoker {

/// A source of randomness that is wholly given by its seed, on every platform:
/// the engine's numbers are fixed by the standard, and nothing else of <random>
/// (whose results are not) is used.
class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(seed) {
  }

  /// A number below `bound`, which must not be 0.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(engine_() % bound);
  }

  template <class T>
  void shuffle(std::vector<T>& xs) {
    for (auto i = xs.size(); i > 1; --i)
      std::swap(xs[i - 1], xs[below(i)]);
  }

private:
  std::mt19937_64 engine_;
};

} // namespace stoker
