// What a message log costs a master: steps of the core alone, and small
// applications at a master over loopback, with and without a log in turn.

#include <memory>

#include "storage/message_log.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/core_cluster.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

/// A master's day in small: workers that report now and then, applications that
/// come, run two executors each, and leave.
class Life {
public:
  explicit Life(MessageLogWriter* log)
      : cluster_(core_config(true)), log_(log) {
    step(ElectedLeader{});
    for (int i = 0; i < workers; ++i) {
      auto id = "worker-20261121074600-10.0.0." + std::to_string(i) + "-7078";
      step(RegisterWorker{WorkerId{id}, EndpointId{id}, "10.0.0.1", 7078, 64,
                          64 * 1024});
      ids_.push_back(id);
    }
  }

  void run_app() {
    RegisterApplication app;
    app.description = describe({2, 1, 512});
    app.driver = EndpointId{"app-client-4711-" + std::to_string(next_app_++)};
    std::vector<ExecutorId> started;
    for (const auto& effect : step(app))
      if (const auto* x = std::get_if<StartExecutor>(&effect))
        started.emplace_back(x->app_id, x->exec_id);
    for (auto state : {ExecutorState::RUNNING, ExecutorState::EXITED}) {
      for (const auto& x : started)
        step(ExecutorStateChanged{x.app_id, x.exec_id, state, {}, 0});
      const auto& worker = ids_[next_worker_++ % ids_.size()];
      step(Heartbeat{WorkerId{worker}, EndpointId{worker}});
    }
    step(UnregisterApplication{started.at(0).app_id});
  }

  [[nodiscard]] std::int64_t steps() const noexcept {
    return steps_;
  }

private:
  static constexpr int workers = 100;

  OutgoingMessages step(const Event& event) {
    now_ += Duration{1};
    ++steps_;
    auto effects = cluster_.step(now_, event);
    if (log_ != nullptr)
      log_->append(now_, EndpointId{"app-client-4711"}, event, effects);
    return effects.messages;
  }

  Cluster cluster_;
  MessageLogWriter* log_;
  Instant now_{};
  std::vector<std::string> ids_;
  std::size_t next_worker_ = 0;
  int next_app_ = 0;
  std::int64_t steps_ = 0;
};

void steps(Extent extent) {
  Samples with, without;
  TemporaryDirectory directory;
  for (int round = 0; round < extent.of(3, 1); ++round)
    for (auto logged : {false, true}) {
      std::unique_ptr<MessageLogWriter> log;
      if (logged)
        log = std::make_unique<MessageLogWriter>(directory.path() + "/log",
                                                 core_config(true));
      Life life{log.get()};
      auto before = life.steps();
      auto start = BenchClock::now();
      for (int i = 0; i < extent.of(20'000, 20); ++i)
        life.run_app();
      auto each
          = seconds_since(start) / static_cast<double>(life.steps() - before);
      (logged ? with : without).add(each);
    }
  Figure{"message_log"}
      .text("via", "core")
      .number("without_us_per_step", without.median() * 1e6)
      .number("with_us_per_step", with.median() * 1e6)
      .number("ratio", with.median() / without.median())
      .print();
}

/// Registrations of one burst, and what they cost.
struct LoggedBurst {
  double seconds = 0;
  double cpu_seconds = 0;
};

LoggedBurst register_apps_at(MasterProcess& master, FakeCluster& cluster,
                             int count) {
  auto apps = cluster.make_apps(count, {2, 1, 512});
  auto& tally = cluster.tally();
  tally.apps_registered.expect(count);
  tally.executors_running.expect(count * 2);
  auto cpu = master.use().cpu_seconds;
  auto start = BenchClock::now();
  for (const auto& app : apps)
    cluster.say(app, app.registration);
  auto registered = tally.apps_registered.await();
  tally.executors_running.await();
  LoggedBurst result{seconds_between(start, registered),
                     master.use().cpu_seconds - cpu};
  tally.executors_killed.expect(count * 2);
  for (const auto& app : apps)
    FakeCluster::leave(app);
  tally.executors_killed.await();
  for (const auto& app : apps)
    FakeCluster::disconnect(app);
  cluster.drain();
  return result;
}

void registrations(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  MasterProcess plain;
  MasterProcess logged{{.logged = true}};
  plain.await_port();
  logged.await_port();
  FakeCluster at_plain{network, plain.address()};
  FakeCluster at_logged{network, logged.address()};
  for (auto* x : {&at_plain, &at_logged})
    x->register_all(x->make_workers(100, 64, 64 * 1024));
  auto count = extent.of(500, 10);
  Samples rate, rate_logged, cpu, cpu_logged;
  for (int round = 0; round < extent.of(8, 2); ++round) {
    auto x = register_apps_at(plain, at_plain, count);
    auto y = register_apps_at(logged, at_logged, count);
    if (round < extent.of(2, 1))
      continue;
    rate.add(count / x.seconds);
    rate_logged.add(count / y.seconds);
    cpu.add(x.cpu_seconds * 1e6 / count);
    cpu_logged.add(y.cpu_seconds * 1e6 / count);
  }
  Figure{"message_log"}
      .text("via", "stoker")
      .count("apps", count)
      .number("rate_without", rate.median())
      .number("rate_with", rate_logged.median())
      .number("ratio", rate.median() / rate_logged.median())
      .number("cpu_us_per_app_without", cpu.median())
      .number("cpu_us_per_app_with", cpu_logged.median())
      .print();
}

} // namespace

void message_log(Extent extent) {
  steps(extent);
  registrations(extent);
}

} // namespace stoker::benchmark
