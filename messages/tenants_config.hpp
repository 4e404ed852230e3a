#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/describe.hpp"

namespace stoker {

// Who shares a cluster, and by which rules (document 001). Numbers of
// enumerators stand in logs: append, never reorder or reuse.

/// What counts as occupied: what admitted applications asked for, or what
/// their executors take now.
enum class Accounting { requested, running };
BOOST_DESCRIBE_ENUM(Accounting, requested, running)

/// Which company comes first. `dominant_share`: the one that occupies least of
/// what it purchased. `usage`: pay as you go, what it occupied in the past
/// counts as well, less and less as time passes.
enum class CompanyOrder { dominant_share, usage };
BOOST_DESCRIBE_ENUM(CompanyOrder, dominant_share, usage)

/// Which of a company's users comes first. `longest_waiting`: the one whose
/// last selection is longest ago. `occupancy`: the one that occupies least of
/// the company's purchase; of equals, the one that waits longer; then, the one
/// whose next application asks for less.
enum class UserOrder { longest_waiting, occupancy };
BOOST_DESCRIBE_ENUM(UserOrder, longest_waiting, occupancy)

/// Which of a user's applications comes first: as they came, or those that
/// query with SQL before the others.
enum class ApplicationOrder { fifo, sql_first };
BOOST_DESCRIBE_ENUM(ApplicationOrder, fifo, sql_first)

struct CompanyConfig {
  std::string name;

  /// What it purchased; unset: one part of the cluster, of as many equal parts
  /// as there are companies, rounded up, whatever the cluster's size is.
  std::optional<std::int64_t> cores;
  std::optional<std::int64_t> memory_mb;

  /// What its admitted applications may ask for together, at most; unset: see
  /// `TenantsConfig::cap_at_purchased`.
  std::optional<std::int64_t> max_cores;
  std::optional<std::int64_t> max_memory_mb;
};
BOOST_DESCRIBE_STRUCT(CompanyConfig, (),
                      (name, cores, memory_mb, max_cores, max_memory_mb))

struct UserConfig {
  std::string name;
  std::string company;

  /// What the user's admitted applications may ask for together, and how many
  /// they may be; unset: no limit.
  std::optional<std::int64_t> max_cores;
  std::optional<std::int64_t> max_memory_mb;
  std::optional<std::int64_t> max_applications;
};
BOOST_DESCRIBE_STRUCT(UserConfig, (),
                      (name, company, max_cores, max_memory_mb,
                       max_applications))

struct TenantsConfig {
  /// No smaller executor is started, unless an application asks for fewer
  /// cores in all.
  int min_executor_cores = 4;
  std::int64_t min_executor_memory_mb = 2048;

  /// Cores of an application that does not say how many it needs.
  int default_request_cores = 8;

  Accounting accounting = Accounting::requested;
  CompanyOrder company_order = CompanyOrder::dominant_share;

  /// What was occupied so long ago counts half.
  std::chrono::milliseconds usage_half_life = std::chrono::hours{24};

  UserOrder user_order = UserOrder::longest_waiting;
  ApplicationOrder application_order = ApplicationOrder::fifo;

  /// A user's applications of higher priority come before his others, whatever
  /// the application order.
  bool priorities = false;

  /// A company that has no cap of its own may not take more than it purchased.
  /// Otherwise it may take what others leave.
  bool cap_at_purchased = false;

  /// Where users belong who are not listed; unset: they are refused.
  std::optional<std::string> default_company;

  /// An application that does not fit under its company's cap lets others of
  /// the company go before it so often; then they wait for it.
  int hold_after = 100;

  /// An application that asks for more than fits under a cap or limit is admitted with
  /// the executors that fit, and grows. Otherwise it waits until all fit, and is refused
  /// if they never could, as in earlier versions, in their logs and in recorded cases. A
  /// tenants file says true unless told otherwise.
  bool admit_in_part = false;

  /// At least one. Of equals, the one named first comes first.
  std::vector<CompanyConfig> companies;
  std::vector<UserConfig> users;
};
BOOST_DESCRIBE_STRUCT(TenantsConfig, (),
                      (min_executor_cores, min_executor_memory_mb,
                       default_request_cores, accounting, company_order,
                       usage_half_life, user_order, application_order,
                       priorities, cap_at_purchased, default_company,
                       hold_after, admit_in_part, companies, users))

} // namespace stoker
