#pragma once

#include <memory>
#include <vector>

#include <caf/scoped_actor.hpp>

#include "actors/app_client.hpp"
#include "network/actor_network.hpp"
#include "tools/benchmark/core_cluster.hpp"
#include "tools/benchmark/returning_worker.hpp"

namespace stoker::benchmark {

/// An application that has registered, and tells no more than the Tally.
struct ReturningApp {
  AppClientActor actor;

  /// Set before the Tally counts the event.
  struct Heard {
    std::atomic<BenchClock::time_point> registered_at{};
    Counter executors{"executors of an application"};
    Counter done{"instances of an application"};
  };
  std::shared_ptr<Heard> heard;
};

/// Workers and applications that look for the next master as real ones do. They
/// are actors of this process: each looks and asks for a connection by itself,
/// but in the end they share one to each master.
class ReturningCluster {
public:
  ReturningCluster(ActorNetwork& network, std::vector<MasterAddress> masters);
  ~ReturningCluster();

  ReturningCluster(const ReturningCluster&) = delete;
  ReturningCluster& operator=(const ReturningCluster&) = delete;

  /// Returns once all are registered.
  void add_workers(int count, int cores, std::int64_t memory_mb);

  /// Returns once all are registered and their executors run.
  void add_apps(int count, const AppSize& size);

  /// One more, which registers when it can. It does not count among those that
  /// are expected now.
  ReturningApp add_app(const AppSize& size);

  /// One of instances. Returns once all of them have ended well.
  ReturningApp run_instances(const AppSize& size);

  /// It has what it wanted. Returns once the master knows.
  void leave(const ReturningApp& app);

  /// From now on all present ones are to be told who leads.
  void expect_return();

  /// A worker that is never heard of again.
  void drop_worker();

  /// Of the master with that number. Throws std::runtime_error when it does not
  /// answer.
  MasterStateResponse state(std::size_t master);

  ReturnTally& tally() noexcept {
    return *tally_;
  }

private:
  ReturningApp spawn_app(const AppSize& size, RoundCounter::Round told);

  ActorNetwork& network_;
  std::vector<MasterAddress> masters_;
  caf::scoped_actor self_;
  ConnectorActor connector_;
  std::shared_ptr<ReturnTally> tally_ = std::make_shared<ReturnTally>();
  std::vector<WorkerActor> workers_;
  std::vector<AppClientActor> apps_;
  int next_ = 0;
};

} // namespace stoker::benchmark
