// Workers of one host, each a process under TLS, come back to a master that is
// killed and started again.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <caf/scoped_actor.hpp>

#include "actors/connector.hpp"
#include "embedding/machine.hpp"
#include "network/free_port.hpp"
#include "network/owner_credentials.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_worker.hpp"

namespace stoker::benchmark {

namespace {

constexpr const char* here = "127.0.0.1";
constexpr std::chrono::seconds longest_return{60};
constexpr std::chrono::milliseconds look_every{5};

std::unique_ptr<ActorNetwork> open_as(Role role) {
  auto files = owner_credentials(default_state_directory(), role);
  auto loaded = files ? Credentials::load(*files) : std::move(files).error();
  if (!loaded)
    throw std::runtime_error(loaded.error().message);
  return std::make_unique<ActorNetwork>(*std::move(loaded));
}

/// Processes with a worker each. To be started while this process has no threads.
class WorkerProcesses {
public:
  WorkerProcesses(int count, const MasterAddress& master) {
    for (int i = 0; i < count; ++i) {
      auto pid = ::fork();
      if (pid < 0)
        throw std::runtime_error("cannot start a process");
      if (pid == 0)
        work(i, master);
      pids_.push_back(pid);
    }
  }

  ~WorkerProcesses() {
    for (auto pid : pids_)
      ::kill(pid, SIGKILL);
    for (auto pid : pids_)
      ::waitpid(pid, nullptr, 0);
  }

  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  [[nodiscard]] double cpu_seconds() const {
    double result = 0;
    for (auto pid : pids_)
      result += use_of(pid).cpu_seconds;
    return result;
  }

private:
  [[noreturn]] static void work(int number, const MasterAddress& master) {
    auto network = open_as(Role::node);
    WorkerConfig config;
    config.host = "host-" + std::to_string(number);
    config.id = WorkerId{"worker-20261121074600-" + config.host + "-7078"};
    config.endpoint = EndpointId{config.id.value};
    config.cores = 1;
    config.memory_mb = 1024;
    config.work_directory = "/nowhere";
    config.registration.seed = static_cast<std::uint64_t>(number);
    auto worker = network->system().spawn(returning_worker, config,
                                          network_connector(*network, {master}),
                                          std::make_shared<ReturnTally>());
    for (;;)
      ::pause();
  }

  std::vector<pid_t> pids_;
};

/// Asks a master until so many workers are ALIVE. Returns when that was.
BenchClock::time_point await_workers(ActorNetwork& network,
                                     const MasterAddress& master, int count) {
  auto deadline = BenchClock::now() + longest_return;
  caf::scoped_actor self{network.system()};
  RequestMasterState question;
  question.applications = false;
  question.drivers = false;
  for (;;) {
    std::ptrdiff_t alive = 0;
    if (auto actor = network.connect<MasterActor>(master))
      self->request(*actor, longest_return, question)
          .receive(
              [&](const MasterStateResponse& x) {
                alive = std::count_if(x.workers.begin(), x.workers.end(),
                                      [](const auto& y) {
                                        return y.state == WorkerState::ALIVE;
                                      });
              },
              [](const caf::error&) {});
    if (alive == count)
      return BenchClock::now();
    if (BenchClock::now() > deadline)
      throw std::runtime_error("only " + std::to_string(alive) + " of "
                               + std::to_string(count) + " workers are back");
    std::this_thread::sleep_for(look_every);
  }
}

} // namespace

void reconnect(Extent extent) {
  auto count = extent.of(200, 5);
  TemporaryDirectory files;
  // Of the master, which inherits it, and of the workers.
  ::setenv("XDG_STATE_HOME", files.path().c_str(), 1);
  if (auto made = owner_credentials(default_state_directory(), Role::node);
      !made)
    throw std::runtime_error(made.error().message);
  MasterRecipe recipe{.durable = true,
                      .data = files.path() + "/data",
                      .port = free_port(here),
                      .insecure = false};
  WorkerProcesses workers{count, {here, recipe.port}};
  auto network = open_as(Role::operator_);
  MasterProcess first{recipe};
  await_workers(*network, first.address(), count);
  auto cpu = workers.cpu_seconds();
  first.kill();
  MasterProcess second{recipe};
  auto listening = second.await_port();
  auto back = await_workers(*network, second.address(), count);
  auto master_cpu = second.use().cpu_seconds;
  Figure{"reconnect"}
      .count("workers", count)
      .number("listening_s", seconds_between(second.started_at(), listening))
      .number("all_back_s", seconds_between(listening, back))
      .number("master_cpu_s", master_cpu)
      .number("worker_cpu_ms", (workers.cpu_seconds() - cpu) * 1e3 / count)
      .print();
}

} // namespace stoker::benchmark
