#include "tools/benchmark/fake_cluster.hpp"

#include <stdexcept>
#include <thread>

#include <caf/typed_event_based_actor.hpp>

namespace stoker::benchmark {

namespace {

constexpr std::chrono::seconds answer_limit{60};

using TallyPtr = std::shared_ptr<Tally>;

/// Tells the master of an executor, and counts its answer.
void report(WorkerActor::pointer self, const MasterActor& master,
            const ExecutorStateChanged& x, const TallyPtr& tally) {
  auto& counter = x.state == ExecutorState::RUNNING ? tally->executors_running
                                                    : tally->executors_killed;
  self->request(master, answer_limit, x)
      .then([tally, &counter](bool) { counter.add(); },
            // Whoever waits for the answer finds that it does not come.
            [](const caf::error&) {});
}

WorkerActor::behavior_type fake_worker(WorkerActor::pointer self,
                                       const MasterActor& master,
                                       const WorkerId& id,
                                       const TallyPtr& tally) {
  return {
      [=](LeaderEpoch, const RegisteredWorker&) {
        // All workers register before any is given work.
        self->send(master, WorkerLatestState{id, {}, {}});
        tally->workers_registered.add();
      },
      [](LeaderEpoch, const RegisterWorkerFailed&) {},
      [](LeaderEpoch, const MasterInStandby&) {},
      [](LeaderEpoch, const ReconnectWorker&) {},
      [](LeaderEpoch, const DecommissionWorker&) {},
      [](LeaderEpoch, const MasterChanged&) {},
      [=](LeaderEpoch, const LaunchExecutor& x) {
        if (tally->workers_report)
          report(self, master, {x.app_id, x.exec_id, ExecutorState::RUNNING},
                 tally);
      },
      [=](LeaderEpoch, const KillExecutor& x) {
        if (tally->workers_report)
          report(self, master, {x.app_id, x.exec_id, ExecutorState::KILLED},
                 tally);
      },
      [](LeaderEpoch, const ApplicationFinished&) {},
      [](LeaderEpoch, const LaunchDriver&) {},
      [](LeaderEpoch, const KillDriver&) {},
      [](const RequestOutput&) { return OutputResponse{}; },
      [](const WriteInput&) { return InputResponse{}; },
      [](const WorkerInternal&) {},
      [](const FetchFilePart&) { return FilePart{}; },
      [](const FilesPlaced&) {},
  };
}

AppClientActor::behavior_type
fake_app(AppClientActor::pointer self, const MasterActor& master,
         const std::shared_ptr<FakeApp::Heard>& heard, const TallyPtr& tally) {
  return {
      [](LeaderEpoch, const MasterInStandby&) {},
      [](LeaderEpoch, const ReconnectApplication&) {},
      [=](LeaderEpoch, const RegisteredApplication& x) {
        heard->registered_at = BenchClock::now();
        heard->app_id = x.app_id;
        tally->apps_registered.add();
      },
      [](LeaderEpoch, const ApplicationRemoved&) {},
      [](LeaderEpoch, const WorkerRemoved&) {},
      [=](LeaderEpoch, const ExecutorAdded& x) {
        if (x.id == 0)
          heard->first_executor_at = BenchClock::now();
        tally->executors_added.add();
      },
      [](LeaderEpoch, const ExecutorUpdated&) {},
      [](LeaderEpoch, const MasterChanged&) {},
      [](const RequestExecutors&) { return true; },
      [](const KillExecutors&) { return true; },
      [](const SetSparkVersion&) { return true; },
      [](const RequestOutput&) { return OutputResponse{}; },
      [](const WriteInput&) { return InputResponse{}; },
      [](const ReportJobs&) {},
      [=](const StopAppClient&) {
        self->request(master, answer_limit,
                      UnregisterApplication{heard->app_id})
            .then([](bool) {}, [](const caf::error&) {});
        return true;
      },
      [](const SubscribeToNews&) {},
      [](const AppClientTick&) {},
  };
}

MasterActor connected(ActorNetwork& network, const MasterAddress& address) {
  auto master = network.connect<MasterActor>(address);
  if (!master)
    throw std::runtime_error(master.error().message);
  return *master;
}

} // namespace

FakeCluster::FakeCluster(ActorNetwork& network, const MasterAddress& master)
    : network_(network), master_(connected(network, master)),
      self_(network.system()) {
  // It listens before it leads, and these actors do not try again.
  while (state().status == RecoveryState::STANDBY)
    std::this_thread::sleep_for(std::chrono::microseconds{200});
}

FakeCluster::~FakeCluster() {
  for (const auto& worker : workers_)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  for (const auto& app : apps_)
    caf::anon_send_exit(app, caf::exit_reason::user_shutdown);
}

std::vector<FakeWorker> FakeCluster::make_workers(int count, int cores,
                                                  std::int64_t memory_mb) {
  std::vector<FakeWorker> result;
  for (int i = 0; i < count; ++i) {
    auto number = next_worker_++;
    auto host = "127.1." + std::to_string(number / 250) + '.'
                + std::to_string(number % 250 + 1);
    auto id = "worker-20261121074600-" + host + "-7078";
    auto actor
        = network_.system().spawn(fake_worker, master_, WorkerId{id}, tally_);
    workers_.push_back(actor);
    result.push_back({RegisterWorker{WorkerId{id}, EndpointId{id}, host, 7078,
                                     cores, memory_mb},
                      actor});
  }
  return result;
}

std::vector<FakeApp> FakeCluster::make_apps(int count, const AppSize& size) {
  std::vector<FakeApp> result;
  for (int i = 0; i < count; ++i) {
    FakeApp app;
    app.registration.description = describe(size);
    app.registration.driver = EndpointId{"driver-" + std::to_string(next_app_)};
    ++next_app_;
    app.heard = std::make_shared<FakeApp::Heard>();
    app.actor = network_.system().spawn(fake_app, master_, app.heard, tally_);
    apps_.push_back(app.actor);
    result.push_back(std::move(app));
  }
  return result;
}

BenchClock::time_point
FakeCluster::register_all(const std::vector<FakeWorker>& workers) {
  tally_->workers_registered.expect(static_cast<std::int64_t>(workers.size()));
  for (const auto& worker : workers)
    say(worker, worker.registration);
  return tally_->workers_registered.await();
}

void FakeCluster::disconnect(const FakeApp& app) {
  caf::anon_send_exit(app.actor, caf::exit_reason::user_shutdown);
}

BenchClock::time_point FakeCluster::drain() {
  (void)ask<DriverStatusResponse>(RequestDriverStatus{DriverId{"none"}});
  return BenchClock::now();
}

MasterStateResponse FakeCluster::state() {
  return ask<MasterStateResponse>(RequestMasterState{});
}

template <class Answer, class Request>
Answer FakeCluster::ask(const Request& request) {
  Answer result;
  self_->request(master_, answer_limit, request)
      .receive([&](Answer& x) { result = std::move(x); },
               [&](const caf::error& e) {
                 throw std::runtime_error(network_.system().render(e));
               });
  return result;
}

} // namespace stoker::benchmark
