#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "actors/interfaces.hpp"
#include "network/actor_network.hpp"
#include "tools/benchmark/core_cluster.hpp"
#include "tools/benchmark/counter.hpp"

namespace stoker::benchmark {

/// What has reached the fake workers and applications.
struct Tally {
  Counter workers_registered{"registrations of workers"};
  Counter apps_registered{"registrations of applications"};
  Counter executors_added{"executors at their applications"};
  Counter executors_running{"executors reported as running"};
  Counter executors_killed{"executors reported as killed"};

  /// Whether workers report the executors that they are given.
  std::atomic<bool> workers_report{true};
};

struct FakeWorker {
  RegisterWorker registration;
  WorkerActor actor;
};

struct FakeApp {
  RegisterApplication registration;
  AppClientActor actor;

  /// Set before the Tally counts the event. `app_id` is known then.
  struct Heard {
    AppId app_id;
    BenchClock::time_point registered_at;
    BenchClock::time_point first_executor_at;
  };
  std::shared_ptr<Heard> heard;
};

/// Workers and applications that are actors of this process: they answer as
/// real ones do, and start nothing. All share one connection to the master,
/// as all actors of one process do.
class FakeCluster {
public:
  /// Connects to a master that listens, and waits until it leads. Throws
  /// std::runtime_error when connecting fails.
  FakeCluster(ActorNetwork& network, const MasterAddress& master);
  ~FakeCluster();

  FakeCluster(const FakeCluster&) = delete;
  FakeCluster& operator=(const FakeCluster&) = delete;

  std::vector<FakeWorker> make_workers(int count, int cores,
                                       std::int64_t memory_mb);
  std::vector<FakeApp> make_apps(int count, const AppSize& size);

  /// Registers them and returns when the last one is registered, and when that
  /// was.
  BenchClock::time_point register_all(const std::vector<FakeWorker>& workers);

  template <class From, class Message>
  void say(const From& from, const Message& message) const {
    caf::send_as(caf::actor_cast<caf::actor>(from.actor), master_, message);
  }

  /// Unregisters an application.
  static void leave(const FakeApp& app) {
    caf::anon_send(app.actor, StopAppClient{});
  }

  /// Closes the connection of an application that has left.
  static void disconnect(const FakeApp& app);

  /// Returns when the master has handled all that was said to it before.
  BenchClock::time_point drain();

  MasterStateResponse state();

  Tally& tally() noexcept {
    return *tally_;
  }

private:
  template <class Answer, class Request>
  Answer ask(const Request& request);

  ActorNetwork& network_;
  MasterActor master_;
  caf::scoped_actor self_;
  std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
  std::vector<WorkerActor> workers_;
  std::vector<AppClientActor> apps_;
  int next_worker_ = 0;
  int next_app_ = 0;
};

} // namespace stoker::benchmark
