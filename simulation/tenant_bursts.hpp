#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "messages/tenants_config.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker::simulation {

/// Two companies that have a cluster together, and whose elastic applications want more
/// than three times as much as it has.
struct TenantBursts {
  enum class Load {
    /// Each burst is an application, which leaves when its tasks have ended. It says at
    /// once how many executors its tasks need.
    applications,

    /// The same, but it asks for more step by step.
    growing_applications,

    /// The same applications stay, and have a burst now and then.
    stages,
  };

  std::uint64_t seed = 1;

  /// How many bursts come in all.
  int bursts = 1000;
  Load load = Load::applications;

  /// No company may have more than it purchased.
  bool cap_at_purchased = false;
  Accounting accounting = Accounting::requested;

  /// An executor may be idle for so long.
  Duration idle_timeout = std::chrono::seconds{5};
};

/// What came of it, on average over the time in which both companies wanted at least what
/// they purchased. Parts of the cluster's cores.
struct TenantShares {
  struct Company {
    double purchased = 0;
    double occupied = 0;

    /// For all tasks that wait or run.
    double wanted = 0;
  };

  std::array<Company, 2> companies;

  /// How much of the measured time that was, and how long it was.
  double contended = 0;
  Duration measured{};
  int bursts = 0;

  /// The first promise that was broken.
  std::optional<std::string> violation;
};

/// Runs it without faults: a master, its workers and applications, with all that
/// simulation/referee.hpp looks for.
[[nodiscard]] TenantShares run(const TenantBursts& what);

/// In one line.
std::string to_text(const TenantBursts& what, const TenantShares& x);

} // namespace stoker::simulation
