// Whose orders a worker obeys: those of the master that it is connected to, and
// of no leader that it knows to be deposed.

#include <string>
#include <vector>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/scheduling/worker/worker_trace.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Lines = std::vector<std::string>;

const LeaderEpoch first_epoch{1};
const LeaderEpoch second_epoch{2};
const LeaderEpoch third_epoch{3};

LaunchExecutor launch(int exec_id) {
  LaunchExecutor result;
  result.app_id = AppId{"app-1"};
  result.exec_id = exec_id;
  result.app_desc.command.arguments = {"work"};
  return result;
}

LaunchDriver launch_driver() {
  LaunchDriver result;
  result.driver_id = DriverId{"driver-2"};
  result.driver_desc.command.arguments = {"work"};
  return result;
}

/// A worker that has registered with the second leader, and runs app-1/0.
struct DeposedFixture {
  PlayedWorker worker;
  Instant now{};

  DeposedFixture() {
    (void)worker.step(now, WorkerStarted{});
    (void)worker.step(now, MasterConnected{});
    (void)worker.step(now, RegisteredWorker{"stoker://m2:7070", false},
                      second_epoch);
    CHECK(lines(worker.step(now, launch(0), second_epoch))
          == Lines{"start app-1/0 in /work/app-1/0"});
  }

  /// What follows, but for wake-ups.
  static Lines lines(const WorkerEffects& effects) {
    Lines result;
    for (const auto& effect : effects)
      if (!std::holds_alternative<WorkerWakeAt>(effect))
        result.push_back(to_string(effect));
    return result;
  }
};

/// One of each that a master can order.
const std::vector<MessageToWorker>& orders() {
  static const std::vector<MessageToWorker> result{
      launch(1),
      KillExecutor{"stoker://m1:7070", AppId{"app-1"}, 0},
      ApplicationFinished{AppId{"app-1"}},
      launch_driver(),
      KillDriver{DriverId{"driver-1"}},
      DecommissionWorker{},
      RegisterWorkerFailed{"it is not known"},
      RegisteredWorker{"stoker://m1:7070", false},
      MasterChanged{"stoker://m1:7070"},
      ReconnectWorker{"stoker://m1:7070"},
      MasterInStandby{}};
  return result;
}

} // namespace

TEST_CASE("a worker ignores a deposed leader, and looks for another master",
          "[worker]") {
  for (const auto& order : orders()) {
    DeposedFixture x;
    INFO("message " << order.index());
    CHECK(DeposedFixture::lines(x.worker.step(x.now, order, first_epoch))
          == Lines{"connect to master 0"});
    auto runs = [&](const ProgramId& id) {
      return x.worker.logic().find_output(about<OutputPosition>(id))->grows;
    };
    CHECK(runs(ExecutorId{AppId{"app-1"}, 0}));
    CHECK_FALSE(runs(ExecutorId{AppId{"app-1"}, 1}));
    CHECK_FALSE(runs(DriverId{"driver-2"}));
  }
}

TEST_CASE_METHOD(DeposedFixture,
                 "a worker obeys the same leader and later ones", "[worker]") {
  CHECK(lines(worker.step(now, launch(1), second_epoch))
        == Lines{"start app-1/1 in /work/app-1/1"});
  CHECK(lines(worker.step(now, launch(2), third_epoch))
        == Lines{"start app-1/2 in /work/app-1/2"});
  // From now on that one is the latest.
  CHECK(lines(worker.step(now, launch(3), second_epoch))
        == Lines{"connect to master 0"});
}

TEST_CASE_METHOD(DeposedFixture,
                 "a deposed leader is remembered over connections",
                 "[worker]") {
  (void)worker.step(now, MasterDisconnected{});
  (void)worker.step(now, MasterConnected{});
  // The only master there is: it is tried again, but after a pause.
  CHECK(lines(worker.step(now, RegisteredWorker{"stoker://m1:7070", false},
                          first_epoch))
            .empty());
  CHECK_FALSE(worker.logic().link().is_registered());
  now += 1s;
  CHECK(lines(worker.step(now, WorkerTick{})) == Lines{"connect to master 0"});
}

TEST_CASE_METHOD(DeposedFixture, "a worker ignores a master that it has left",
                 "[worker]") {
  auto left = worker.connection().origin(second_epoch);
  (void)worker.step(now, MasterDisconnected{});
  for (const auto& order : orders()) {
    INFO("message " << order.index());
    CHECK(lines(worker.logic().hear(now, left, order)).empty());
  }
  (void)worker.step(now, MasterConnected{});
  for (const auto& order : orders()) {
    INFO("message " << order.index());
    CHECK(lines(worker.logic().hear(now, left, order)).empty());
  }
  // Nor do its end and a late connection to it matter.
  CHECK(lines(worker.logic().step(now, MasterDisconnected{left.connection}))
            .empty());
  CHECK(lines(worker.logic().step(now, MasterConnected{left.connection}))
            .empty());
}
