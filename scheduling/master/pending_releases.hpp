#pragma once

#include <map>
#include <optional>
#include <vector>

#include "scheduling/master/records.hpp"

namespace stoker {

/// What an executor holds that was told to end.
struct PendingRelease {
  /// With `ending` set.
  StoredExecutor stored;
  WorkerKey worker{};

  /// The application whose instance cannot be started again before.
  std::optional<AppKey> app;
};

/// Executors that were told to end and have not ended yet. What must not be in
/// use twice is held for them until their worker says that they are gone: named
/// resources, which are given exclusively, and an instance's index. All else is
/// free at once, as in Spark.
class PendingReleases {
public:
  /// @pre The executor is not here.
  void add(PendingRelease release);

  /// Takes one out; an unknown one gives nothing.
  std::optional<PendingRelease> take(const ExecutorId& id);

  [[nodiscard]] bool contains(const ExecutorId& id) const {
    return releases_.contains(id);
  }

  /// Whether there is any of an application.
  [[nodiscard]] bool has_any_of(const AppId& app) const;

  /// Those of an application, in order of their numbers.
  [[nodiscard]] std::vector<const PendingRelease*> of(const AppId& app) const;

  [[nodiscard]] const std::map<ExecutorId, PendingRelease>&
  all() const noexcept {
    return releases_;
  }

private:
  std::map<ExecutorId, PendingRelease> releases_;
};

} // namespace stoker
