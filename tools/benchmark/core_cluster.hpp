#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/master/cluster.hpp"
#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

/// Who shares a cluster.
enum class Sharing {
  /// Applications are served in order of submission.
  fifo,
  /// 100 companies with 100 users each, who submit in turn.
  tenants
};

/// What benches of the core run with.
ClusterConfig core_config(bool spread_out, Sharing sharing = Sharing::fifo);

/// What an application of a bench asks for.
struct AppSize {
  /// None: it is content as it is.
  int executors = 1;
  int cores_per_executor = 1;
  std::int64_t memory_per_executor_mb = 512;

  /// 0: its executors serve until they are told to end.
  int instances = 0;

  /// So many are asked for at first; unset: all.
  std::optional<int> at_first;

  /// So many start at once or none.
  std::optional<int> gang;
};

inline constexpr AppSize one_executor{1};
inline constexpr AppSize two_executors{2};

ApplicationDescription describe(const AppSize& size);

/// The core alone, in this process: its messages go nowhere.
class CoreCluster {
public:
  CoreCluster(ClusterConfig config, int workers, int cores,
              std::int64_t memory_mb);

  /// What a step did and took.
  struct Step {
    double seconds = 0;
    AppId registered;
    std::vector<ExecutorId> started;
  };

  Step step(const Event& what);

  /// Registers one more application.
  Step add_app(const AppSize& size);

  /// Registers applications without a look at what they do.
  void add_apps(int count, const AppSize& size);

private:
  Cluster cluster_;
  Instant now_;
  int next_driver_ = 0;
};

} // namespace stoker::benchmark
