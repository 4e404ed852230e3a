#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "messages/resources.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// What a company occupied on average, where what was long ago counts little.
/// In cores and MB.
struct Usage {
  double cores = 0;
  double memory_mb = 0;

  friend bool operator==(const Usage&, const Usage&) = default;
};

/// What companies have occupied until a time, which is the same for all.
///
/// Invariant: no average is negative, and none is infinite.
class UsageHistory {
public:
  /// What was occupied so long ago counts half. @pre greater than 0
  explicit UsageHistory(Duration half_life) : half_life_(half_life) {
  }

  /// Until when the averages count.
  [[nodiscard]] Instant until() const noexcept {
    return until_;
  }

  /// The weight of the time from `from`, or from `until()`, to `now`.
  [[nodiscard]] double weight(Instant from, Instant now) const;
  [[nodiscard]] double weight(Instant now) const {
    return weight(until_, now);
  }

  [[nodiscard]] const Usage& of(CompanyNumber company) const {
    return companies_[company];
  }

  /// The average together with a time of this weight after `until()`, in which
  /// the company occupied as much as `occupied`.
  [[nodiscard]] Usage with(CompanyNumber company, const Resources& occupied,
                           double weight) const;

  /// Lets all averages follow what companies have occupied from `until()` to
  /// `now`: `occupied(company)`, for each number below `companies`.
  /// @pre now is later
  template <class Occupied>
  void advance(Instant now, std::uint32_t companies, Occupied&& occupied) {
    auto newer = weight(now);
    until_ = now;
    for (std::uint32_t i = 0; i < companies; ++i) {
      CompanyNumber number{i};
      companies_[number] = with(number, occupied(number), newer);
    }
  }

  /// Averages count until this time, whatever they were.
  void set_until(Instant now) noexcept {
    until_ = now;
  }

  void set(CompanyNumber company, Usage usage) {
    companies_[company] = usage;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  Duration half_life_;
  Instant until_;
  ByNumber<CompanyNumber, Usage> companies_;
};

} // namespace stoker
