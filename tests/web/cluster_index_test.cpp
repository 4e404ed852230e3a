// What is kept up to date change by change is what all of it would give.

#include "web/cluster_index.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// Changes of a small cluster, in any order.
class RandomChanges {
public:
  explicit RandomChanges(unsigned seed) : random_(seed) {
  }

  Change next() {
    switch (below(12)) {
    case 0:
      return worker();
    case 1:
    case 2:
      return application();
    case 3:
      return StoredInstance{app_id(), below(3), below(2) == 0, 0};
    case 4:
    case 5:
    case 6:
      return executor();
    case 7:
      return driver();
    case 8:
      return EraseWorker{worker_id(), {}};
    case 9:
      return EraseExecutor{executor_id()};
    case 10:
      return EraseDriver{driver_id()};
    default:
      break;
    }
    switch (below(3)) {
    case 0:
      return EraseApplication{app_id()};
    case 1:
      return EraseExecutorsOf{app_id()};
    default:
      return EraseInstancesOf{app_id()};
    }
  }

private:
  int below(int n) {
    return std::uniform_int_distribution{0, n - 1}(random_);
  }
  WorkerId worker_id() {
    return WorkerId{"w" + std::to_string(below(3))};
  }
  AppId app_id() {
    return AppId{"app-" + std::to_string(below(3))};
  }
  ExecutorId executor_id() {
    return {app_id(), below(3)};
  }
  DriverId driver_id() {
    return DriverId{"driver-" + std::to_string(below(3))};
  }
  std::optional<Instant> perhaps() {
    return below(3) == 0 ? std::optional{Instant{}} : std::nullopt;
  }

  Change worker() {
    StoredWorker x;
    x.id = worker_id();
    x.number = static_cast<std::uint32_t>(x.id.value.back());
    return x;
  }

  Change application() {
    StoredApplication x;
    x.id = app_id();
    x.number = static_cast<std::uint32_t>(x.id.value.back());
    x.state = static_cast<ApplicationState>(below(6));
    x.ended = perhaps();
    return x;
  }

  Change executor() {
    auto id = executor_id();
    StoredExecutor x;
    x.app_id = id.app_id;
    x.exec_id = id.exec_id;
    x.worker_id = worker_id();
    x.cores = below(3);
    x.memory_mb = below(3);
    x.state = static_cast<ExecutorState>(below(7));
    x.ended = perhaps();
    x.ending = below(4) == 0;
    if (below(2) == 0)
      x.resources["gpu"] = {std::to_string(below(3))};
    return x;
  }

  Change driver() {
    StoredDriver x;
    x.id = driver_id();
    x.number = static_cast<std::uint32_t>(x.id.value.back());
    x.state = static_cast<DriverState>(below(8));
    x.description.cores = below(3);
    if (below(2) == 0)
      x.worker_id = worker_id();
    if (below(2) == 0) {
      x.description.executors.emplace().cores = 1;
      x.reservations.push_back({worker_id(), {}});
    }
    return x;
  }

  std::mt19937 random_;
};

} // namespace

TEST_CASE("an index that follows changes is that of what they make", "[web]") {
  auto seed = GENERATE(range(1U, 21U));
  RandomChanges changes{seed};
  StoredTables tables;
  ClusterIndex index;
  for (int i = 0; i < 300; ++i) {
    index.apply(tables, changes.next());
    if (i % 30 == 29) {
      INFO("seed " << seed << ", change " << i);
      CHECK(index == ClusterIndex{tables});
    }
  }
}

TEST_CASE("what an executor holds is free when it has ended", "[web]") {
  StoredTables tables;
  ClusterIndex index;
  StoredExecutor x;
  x.app_id = AppId{"app-1"};
  x.worker_id = WorkerId{"w1"};
  x.cores = 2;
  x.memory_mb = 512;
  x.state = ExecutorState::RUNNING;
  x.resources["gpu"] = {"1"};
  index.apply(tables, x);
  CHECK(index.use_of(x.worker_id).cores == 2);
  CHECK(index.use_of(x.worker_id).resources.at("gpu").contains("1"));
  CHECK(index.cores_of(x.app_id) == 2);
  CHECK(index.executors_on(x.worker_id).size() == 1);
  x.ending = true;
  index.apply(tables, x);
  CHECK(index.cores_of(x.app_id) == 0);
  CHECK(index.use_of(x.worker_id).cores == 2);
  x.ending = false;
  x.state = ExecutorState::EXITED;
  index.apply(tables, x);
  CHECK(index.use_of(x.worker_id) == WorkerUse{});
  CHECK(index.executors_on(x.worker_id).empty());
}
