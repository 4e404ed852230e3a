// What durability costs: applications that register at a master that stores
// them, and at one that does not, in turn.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

/// What all clients have measured.
struct Latencies {
  Counter registered{"registrations"};
  std::mutex mutex;
  Samples seconds;
};

using LatenciesPtr = std::shared_ptr<Latencies>;

/// Registers one new application after the other.
struct ClientState {
  BenchClock::time_point asked;
  int number = 0;

  static constexpr const char* name = "client";
};

using ClientSelf = AppClientActor::stateful_pointer<ClientState>;

void register_next(ClientSelf self, const MasterActor& master,
                   const std::string& name) {
  auto& state = self->state;
  RegisterApplication x;
  x.description = describe({1, 1, 512});
  x.driver = EndpointId{name + '-' + std::to_string(state.number++)};
  state.asked = BenchClock::now();
  self->send(master, x);
}

/// Registers so many, each once the one before is registered.
AppClientActor::behavior_type client(ClientSelf self, const MasterActor& master,
                                     const std::string& name, int count,
                                     const LatenciesPtr& latencies) {
  return {
      [](LeaderEpoch, const MasterInStandby&) {},
      [](LeaderEpoch, const ReconnectApplication&) {},
      [=](LeaderEpoch, const RegisteredApplication&) {
        {
          std::lock_guard lock{latencies->mutex};
          latencies->seconds.add(seconds_since(self->state.asked));
        }
        if (self->state.number < count)
          register_next(self, master, name);
        latencies->registered.add();
      },
      [](LeaderEpoch, const ApplicationRemoved&) {},
      [](LeaderEpoch, const WorkerRemoved&) {},
      [](LeaderEpoch, const ExecutorAdded&) {},
      [](LeaderEpoch, const ExecutorUpdated&) {},
      [](LeaderEpoch, const MasterChanged&) {},
      [](const RequestExecutors&) { return true; },
      [](const KillExecutors&) { return true; },
      [](const SetSparkVersion&) { return true; },
      [](const RequestOutput&) { return OutputResponse{}; },
      [](const WriteInput&) { return InputResponse{}; },
      [](const ReportJobs&) {},
      [](const StopAppClient&) { return true; },
      [](const SubscribeToNews&) {},
      [=](const AppClientTick&) { register_next(self, master, name); },
  };
}

struct Setting {
  int clients = 1;

  /// Of each client.
  int registrations = 1;
};

struct Measured {
  double rate = 0;
  double cpu_us = 0;
};

Measured measure(ActorNetwork& network, bool durable, const Setting& setting,
                 const LatenciesPtr& latencies) {
  MasterProcess process{{.durable = durable}};
  process.await_port();
  FakeCluster cluster{network, process.address()};
  auto master = network.connect<MasterActor>(process.address());
  if (!master)
    throw std::runtime_error(master.error().message);
  std::vector<AppClientActor> clients;
  for (int i = 0; i < setting.clients; ++i)
    clients.push_back(network.system().spawn(client, *master,
                                             "driver-" + std::to_string(i),
                                             setting.registrations, latencies));
  auto total = setting.clients * setting.registrations;
  latencies->registered.expect(total);
  auto cpu = process.use().cpu_seconds;
  auto start = BenchClock::now();
  for (const auto& x : clients)
    caf::anon_send(x, AppClientTick{});
  Measured result;
  result.rate = total / seconds_between(start, latencies->registered.await());
  result.cpu_us = (process.use().cpu_seconds - cpu) * 1e6 / total;
  for (const auto& x : clients)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  return result;
}

void compare_modes(ActorNetwork& network, const Setting& setting) {
  double rate_stored_nowhere = 0;
  for (auto durable : {false, true}) {
    auto latencies = std::make_shared<Latencies>();
    auto measured = measure(network, durable, setting, latencies);
    Figure figure{"durable_registrations"};
    figure.text("recovery_mode", durable ? "SQLITE" : "NONE")
        .count("clients", setting.clients)
        .count("apps", setting.clients * setting.registrations)
        .number("rate", measured.rate)
        .short_latency("registered", latencies->seconds)
        .number("master_cpu_us_per_op", measured.cpu_us);
    if (durable)
      figure.number("times_slower", rate_stored_nowhere / measured.rate);
    else
      rate_stored_nowhere = measured.rate;
    figure.print();
  }
}

} // namespace

void durable_registrations(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  compare_modes(network, {1, extent.of(2000, 5)});
  compare_modes(network, {10, extent.of(500, 2)});
  compare_modes(network, {extent.of(1000, 50), extent.of(20, 2)});
}

} // namespace stoker::benchmark
