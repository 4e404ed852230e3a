#pragma once

// What a TenantTree knows of companies, users and applications. Plain values
// that refer to each other by number, so that a TenantTree can be copied.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "messages/resources.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/common/keys.hpp"

namespace stoker {

/// Positions in the tree's lists; companies count in order of the file.
enum class CompanyNumber : std::uint32_t {};
enum class UserNumber : std::uint32_t {};

/// Counts selections: a later one has a larger number.
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

/// Orders companies: the smallest is asked first.
struct CompanyRank {
  double share = 0;
  Selection selected = 0;
  CompanyNumber number{};

  friend auto operator<=>(const CompanyRank&, const CompanyRank&) = default;
};

/// Orders the users of a company. The order `longest_waiting` leaves share and
/// demand at 0.
struct UserRank {
  double share = 0;
  Selection selected = 0;
  double demand = 0;
  UserNumber number{};

  friend auto operator<=>(const UserRank&, const UserRank&) = default;
};

/// Orders the applications of a user.
struct QueueRank {
  std::int32_t priority_negated = 0;
  bool behind_sql = false;
  AppKey app{};

  friend auto operator<=>(const QueueRank&, const QueueRank&) = default;
};

/// An application, queued or admitted. There may be millions.
struct TenantApp {
  Resources request;
  UserNumber user{};
  std::int32_t priority = 0;

  /// See `NextApp`, which counts while this is the first of its queue.
  std::int32_t passed_over = 0;
  bool sql = false;
  bool admitted = false;
};

/// What is known of an admitted application besides.
struct AdmittedApp {
  Selection turn = 0;
  Resources wanted;

  /// The size of one executor: requests grow by whole ones.
  Resources unit;
  Resources running;
  bool waiting = false;
};

/// The first of a user's queue. What choices look at is here, so that they need
/// not search among all applications.
struct NextApp {
  AppKey app{};
  Resources request;

  /// How often others of the company went before it because it did not fit
  /// under the company's cap.
  std::int32_t passed_over = 0;

  friend bool operator==(const NextApp&, const NextApp&) = default;
};

struct TenantUser {
  std::string name;
  CompanyNumber company{};

  /// Named in the configuration. Others are forgotten with their last
  /// application.
  bool listed = false;
  Resources limit{unlimited, unlimited};
  std::int64_t max_applications = unlimited;

  TenantFigures figures;
  Selection selected = 0;
  std::set<QueueRank> queue;
  std::optional<NextApp> next;

  /// Set while the first of the queue fits under the user's own limits: the
  /// user's entry in `TenantCompany::ready`.
  std::optional<UserRank> rank;
};

struct TenantCompany {
  std::string name;

  /// No longer in the configuration: has no purchase and no cap, and comes
  /// last.
  bool retired = false;
  Resources purchased;
  Resources cap{unlimited, unlimited};

  /// `requested` may be above the cap by so much, because the cap came down or
  /// an application was adopted.
  Resources excess;

  TenantFigures figures;
  Selection selected = 0;
  double usage_cores = 0;
  double usage_memory_mb = 0;

  /// Users whose next application fits under their own limits.
  std::set<UserRank> ready;

  /// The user whose next application was passed over too often: no other goes
  /// before it.
  std::optional<UserNumber> held_for;

  /// No ready user's next application fits under the cap; nothing has changed
  /// since that was found.
  bool stuck = false;

  /// Set while a user is ready and the company is not stuck: its entry in the
  /// order of companies.
  std::optional<CompanyRank> rank;

  /// Admitted applications that want more than they have, by turn.
  std::set<std::pair<Selection, AppKey>> growing;
};

} // namespace stoker
