#include "scheduling/tenants/usage_decay.hpp"

#include <array>
#include <cmath>

namespace stoker {

namespace {

/// Enough for a millisecond of a hundred years.
constexpr std::size_t bits = 48;

/// Element i is 1 - 2^(-2^-(i + 1)). Each comes from the one before it without
/// a difference of nearly equal numbers.
std::array<double, bits> make_fractions() {
  std::array<double, bits> result{};
  auto kept = std::sqrt(0.5);
  result[0] = 1 - kept;
  for (std::size_t i = 1; i < bits; ++i) {
    kept = std::sqrt(kept);
    result[i] = result[i - 1] / (1 + kept);
  }
  return result;
}

/// The weight of two times one after the other.
double joined(double a, double b) {
  // Two statements, so that no compiler makes one operation of them.
  auto both = a * b;
  auto sum = a + b;
  return sum - both;
}

} // namespace

double newer_weight(Duration elapsed, Duration half_life) {
  static const auto fractions = make_fractions();
  if (elapsed <= Duration::zero())
    return 0;
  // 2^-64 is less than a double can tell from nothing.
  auto halvings = elapsed / half_life;
  if (halvings >= 64)
    return 1;
  double result = 0;
  for (; halvings > 0; --halvings)
    result = joined(result, 0.5);
  // The rest, as a binary fraction of a half-life.
  auto rest = elapsed % half_life;
  for (std::size_t i = 0; i < bits && rest > Duration::zero(); ++i) {
    rest *= 2;
    if (rest >= half_life) {
      rest -= half_life;
      result = joined(result, fractions[i]);
    }
  }
  return result;
}

} // namespace stoker
