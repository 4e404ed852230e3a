#include "embedding/executor_process.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <future>
#include <iostream>
#include <optional>

#include <caf/send.hpp>

#include "actors/executor.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/termination_watch.hpp"
#include "messages/task_environment.hpp"
#include "network/actor_network.hpp"
#include "process/open_files.hpp"

namespace stoker {

namespace {

using Environment = std::map<std::string, std::string>;

Result<std::string> needed(const Environment& environment, const char* name) {
  auto found = environment.find(name);
  if (found == environment.end() || found->second.empty())
    return Error{Errc::invalid_request,
                 std::string{"this is no executor that a worker has started: "}
                     + name + " is not set"};
  return found->second;
}

Result<int> number(const Environment& environment, const char* name) {
  auto text = needed(environment, name);
  if (!text)
    return std::move(text).error();
  int result = 0;
  const auto* end = text->data() + text->size();
  auto [rest, error] = std::from_chars(text->data(), end, result);
  if (error != std::errc{} || rest != end || result < 0)
    return Error{Errc::invalid_request,
                 std::string{name} + " is not a number: " + *text};
  return result;
}

/// Reads variables until one is missing.
class Reader {
public:
  explicit Reader(const Environment& environment) : environment_(environment) {
  }

  void read(const char* name, std::string& target) {
    take(needed(environment_, name), target);
  }
  void read(const char* name, int& target) {
    take(number(environment_, name), target);
  }

  [[nodiscard]] const std::optional<Error>& error() const {
    return error_;
  }

private:
  template <class T>
  void take(Result<T> x, T& target) {
    if (x)
      target = *std::move(x);
    else if (!error_)
      error_ = std::move(x).error();
  }

  const Environment& environment_;
  std::optional<Error> error_;
};

/// What an executor has for itself, and what its tasks start must not get: it would
/// take itself for one.
constexpr const char* own_variables[]
    = {task_environment::secret, task_environment::driver,
       task_environment::output_server, task_environment::output_directory,
       task_environment::output_server_id};

/// What programs of tasks are to find.
Environment for_tasks(Environment x) {
  for (const auto* name : own_variables)
    x.erase(name);
  return x;
}

} // namespace

AppId driver_name() {
  return AppId{"driver"};
}

Environment process_environment() {
  Environment result;
  for (auto* const* x = environ; *x != nullptr; ++x) {
    std::string text = *x;
    auto split = text.find('=');
    if (split != std::string::npos && split > 0)
      result[text.substr(0, split)] = text.substr(split + 1);
  }
  return result;
}

bool is_executor(const Environment& environment) {
  return environment.contains(task_environment::driver)
         && environment.contains(task_environment::secret);
}

Result<std::string> run_executor(const Environment& environment,
                                 const executor::TaskFunctions& functions) {
  Reader reader{environment};
  executor::ExecutorIdentity identity;
  std::string driver;
  std::string hex;
  std::string server;
  reader.read(task_environment::driver, driver);
  reader.read(task_environment::secret, hex);
  reader.read("STOKER_APP_ID", identity.app_id.value);
  reader.read("STOKER_EXECUTOR_ID", identity.exec_id);
  reader.read("STOKER_CORES", identity.cores);
  // What is not known is assumed: functions keep less in memory then, or more.
  if (environment.contains("STOKER_MEMORY_MB"))
    reader.read("STOKER_MEMORY_MB", identity.memory_mb);
  reader.read("STOKER_WORKER_ID", identity.worker_id.value);
  reader.read("STOKER_HOST", identity.host);
  reader.read("STOKER_WORK_DIR", identity.work_directory);
  reader.read(task_environment::output_server, server);
  reader.read(task_environment::output_directory, identity.outputs.directory);
  reader.read(task_environment::output_server_id, identity.outputs.id);
  if (reader.error())
    return *reader.error();
  auto secret = ApplicationSecret::parse(hex);
  if (!secret)
    return std::move(secret).error();
  // Both are addresses as those of masters.
  auto drivers = parse_master_url(driver);
  if (!drivers)
    return std::move(drivers).error();
  auto servers = parse_master_url("stoker://" + server);
  if (!servers)
    return std::move(servers).error();
  identity.outputs.host = servers->front().host;
  identity.outputs.port = servers->front().port;
  identity.environment = for_tasks(environment);
  // For what functions start. There are no other threads yet.
  for (const auto* name : own_variables)
    ::unsetenv(name);
  process::raise_open_files_limit();
  // Writing to what is closed fails, in any thread.
  std::signal(SIGPIPE, SIG_IGN);
  ActorNetwork network{Credentials::for_application(driver_name(), *secret)};
  auto scheduler = network.connect<TaskSchedulerActor>(drivers->front());
  if (!scheduler)
    return Error{scheduler.error().code,
                 "cannot reach the driver: " + scheduler.error().message};
  auto end = std::make_shared<std::promise<ExecutorStopped>>();
  auto ended = end->get_future();
  // Not detached: CAF 0.17 waits at its end until such an actor is destroyed,
  // and one that another network has monitored may not be (its issue 1196).
  auto actor = network.system().spawn(
      executor_actor, std::move(identity), *secret, *std::move(scheduler),
      &functions, [end](const ExecutorStopped& x) { end->set_value(x); });
  on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
             "the executor", [](const std::string&) { ::_exit(1); });
  // Its programs have got the signal, too, and have their time to end: they would die with
  // this process.
  std::atomic<bool> is_terminated = false;
  TerminationWatch watch{[&] {
    is_terminated = true;
    caf::anon_send(actor, StopExecutor{"it was asked to end"});
  }};
  auto result = ended.get();
  // The worker is to learn of the signal, which need not be its own.
  if (is_terminated) {
    std::signal(SIGTERM, SIG_DFL);
    ::raise(SIGTERM);
  }
  // Without those that run the destructors of what these functions still use.
  if (result.functions_hang) {
    std::cerr
        << "executor: a function did not return when it was told to; this "
           "process ends with it\n";
    ::_exit(0);
  }
  return result.why;
}

} // namespace stoker
