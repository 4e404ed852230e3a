#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/random.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker::test {

/// Invents what may happen next to a cluster that is in a given state: mostly
/// what peers that behave would do, now and then what they must not, and old
/// events over again (doubled, late, out of order). Equal seeds and states give
/// equal events.
class RandomEvents {
public:
  explicit RandomEvents(std::uint64_t seed) : random_(seed) {
  }

  /// The next event and when it happens; time never goes backwards.
  std::pair<Instant, Event> next(const MasterStateResponse& state);

private:
  Event invent(const MasterStateResponse& state);
  Event about_worker(const MasterStateResponse& state);
  Event about_application(const MasterStateResponse& state);
  Event about_executor(const MasterStateResponse& state);
  Event end_of_killed(const MasterStateResponse& state);
  Event about_driver(const MasterStateResponse& state);

  Event register_worker(const std::string& name);
  Event report(const WorkerInfo& worker, const MasterStateResponse& state);
  std::string any_spark_version();
  Command any_command();
  std::vector<Dependency> any_dependencies(const MasterStateResponse& state);
  std::optional<EndHook> any_hook();
  std::optional<std::int64_t> any_ago();
  DriverId driver_for(const MasterStateResponse& state,
                      const std::string& user);
  Event register_application(const MasterStateResponse& state);

  /// A number below `bound`.
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::size_t>(bound)));
  }
  bool once_in(int n) {
    return below(n) == 0;
  }
  template <class T>
  const T& any_of(const std::vector<T>& xs) {
    return xs[random_.below(xs.size())];
  }

  /// One of few, so that names come back: after an end, over another
  /// connection, and where they are unknown.
  std::string any_worker_name() {
    return "w" + std::to_string(below(8));
  }
  EndpointId endpoint_of(const std::string& name) {
    return EndpointId{name + (once_in(4) ? "'" : "")};
  }

  Random random_;
  Instant now_;
  std::vector<Event> past_;
};

} // namespace stoker::test
