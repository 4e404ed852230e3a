#pragma once

// How the owners of tenants' state name companies and users: by number, so that
// the state can be copied.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "messages/resources.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// Positions in the directory's lists. Those of the configuration come first,
/// in its order.
enum class CompanyNumber : std::uint32_t {};
enum class UserNumber : std::uint32_t {};

/// A user and the company that the user belongs to.
struct Member {
  CompanyNumber company{};
  UserNumber user{};

  friend bool operator==(const Member&, const Member&) = default;
};

/// Counts admissions: a later one has a larger number.
using Selection = std::uint64_t;

/// No limit. Sums of figures stay far below.
inline constexpr std::int64_t unlimited
    = std::numeric_limits<std::int64_t>::max();

/// A request that can be counted: so large that no cluster has as much, and so
/// small that the sum over all that may be admitted does not overflow.
inline Resources countable(const Resources& x) {
  constexpr auto cores = std::int64_t{1} << 31;
  constexpr auto memory_mb = std::int64_t{1} << 42;
  return {std::clamp(x.cores, std::int64_t{0}, cores),
          std::clamp(x.memory_mb, std::int64_t{0}, memory_mb)};
}

/// The smaller of the cores, and of the memory.
inline Resources smaller(const Resources& x, const Resources& y) {
  return {std::min(x.cores, y.cores), std::min(x.memory_mb, y.memory_mb)};
}

/// The larger of the cores, and of the memory.
inline Resources larger(const Resources& x, const Resources& y) {
  return {std::max(x.cores, y.cores), std::max(x.memory_mb, y.memory_mb)};
}

/// "application 7", for messages about broken invariants.
inline std::string name_of(ProgramKey key) {
  auto kind = std::holds_alternative<AppKey>(key) ? "application " : "driver ";
  return kind
         + std::visit(
             [](auto x) {
               return std::to_string(static_cast<std::uint32_t>(x));
             },
             key);
}

/// One value for each company, or for each user. A value that was never set is
/// a default one, so that an owner need not be told of new numbers.
template <class Number, class T>
class ByNumber {
public:
  /// References to other values are not valid after this.
  T& operator[](Number number) {
    auto i = static_cast<std::size_t>(number);
    if (i >= values_.size())
      values_.resize(i + 1);
    return values_[i];
  }

  const T& operator[](Number number) const {
    static const T none{};
    auto i = static_cast<std::size_t>(number);
    return i < values_.size() ? values_[i] : none;
  }

  /// All numbers with a value that was set are below.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(values_.size());
  }

  [[nodiscard]] auto begin() const noexcept {
    return values_.begin();
  }
  [[nodiscard]] auto end() const noexcept {
    return values_.end();
  }

private:
  std::vector<T> values_;
};

} // namespace stoker
