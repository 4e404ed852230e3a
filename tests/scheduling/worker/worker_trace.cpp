#include "tests/scheduling/worker/worker_trace.hpp"

#include <map>
#include <stdexcept>
#include <utility>

#include "messages/task_environment.hpp"
#include "scheduling/master/render.hpp"

namespace stoker::test {

namespace {

struct Renderer {
  std::string operator()(const ConnectToMaster& x) const {
    return "connect to master " + std::to_string(x.master);
  }
  std::string operator()(const SendWorkerMessage& x) const {
    return "tell "
           + std::visit([](const auto& y) { return to_string(Event{y}); },
                        x.message);
  }
  std::string operator()(const AskMaster& x) const {
    return "ask " + to_string(Event{x.message});
  }
  std::string operator()(const StartProcess& x) const {
    return "start " + stoker::to_string(x.id) + " in " + x.directory;
  }
  std::string operator()(const EndProcess& x) const {
    return "end " + stoker::to_string(x.id);
  }
  std::string operator()(const AdoptProcess& x) const {
    return "adopt " + stoker::to_string(x.id) + " in " + x.directory;
  }
  std::string operator()(const RememberProgram& x) const {
    auto killed = (x.record.executor && x.record.executor->kill_requested)
                  || (x.record.driver && x.record.driver->kill_requested);
    auto ended = x.record.driver && x.record.driver->ended;
    return "remember " + key_of(x.record) + (killed ? " to be killed" : "")
           + (ended ? " as ended" : "");
  }
  std::string operator()(const ForgetProgram& x) const {
    return "forget " + stoker::to_string(x.id);
  }
  std::string operator()(const RememberLeaving&) const {
    return "remember leaving";
  }
  std::string operator()(const FindAbandoned&) const {
    return "find what was abandoned";
  }
  std::string operator()(const RemoveDirectory& x) const {
    return "remove " + x.path;
  }
  std::string operator()(const ServeOutputs& x) const {
    return "serve outputs of " + x.app.value
           + (x.secret.empty() ? " again" : "");
  }
  std::string operator()(const OutputWriterEnded& x) const {
    return "writer ended " + stoker::to_string(x.id);
  }
  std::string operator()(const StopServingOutputs& x) const {
    return "stop serving outputs of " + x.app.value;
  }
  std::string operator()(const WorkerWakeAt& x) const {
    return "wake at " + std::to_string(to_ms(x.when)) + "ms";
  }
  std::string operator()(const StopWorker& x) const {
    return x.error.empty() ? "stop" : "stop: " + x.error;
  }
};

std::string rest_of(Words& words) {
  std::string result;
  while (!words.empty())
    result += (result.empty() ? "" : " ") + words.next();
  return result;
}

/// An event, or a message of the master.
using Happening = std::variant<WorkerEvent, MessageToWorker>;

ProgramId program_id(const std::string& text) {
  auto result = parse_program_id(text);
  if (!result)
    throw std::invalid_argument{"not a program: " + text};
  return *result;
}

ExecutorState executor_state(const std::string& name) {
  ExecutorState result{};
  if (!boost::describe::enum_from_string(name.c_str(), result))
    throw std::invalid_argument{"not a state: " + name};
  return result;
}

MessageToWorker launch(Words& words) {
  auto id = executor_id(words.next());
  LaunchExecutor result;
  result.master_url = "stoker://m1:7070";
  result.app_id = id.app_id;
  result.exec_id = id.exec_id;
  result.app_desc.command.arguments = {"work"};
  result.cores = 2;
  result.memory_mb = 512;
  result.index = words.number_after("index");
  if (words.take("secret"))
    result.app_desc.command.environment[task_environment::secret] = "s";
  return result;
}

MessageToWorker driver(Words& words) {
  LaunchDriver result;
  result.driver_id = DriverId{words.next()};
  result.driver_desc.command.arguments = {"drive"};
  result.driver_desc.supervise = words.take("supervise");
  result.driver_desc.max_restarts = words.number_after("restarts");
  return result;
}

/// What a dead worker has left: one thing at a time.
WorkerEvent found(Words& words) {
  ProgramsFound result;
  if (words.take("directory")) {
    result.directories = {words.next()};
    return result;
  }
  if (words.take("outputs")) {
    result.outputs = {AppId{words.next()}};
    return result;
  }
  auto& record = result.programs.emplace_back();
  record.worker_id = WorkerId{"w1"};
  if (words.take("driver")) {
    auto& driver = record.driver.emplace();
    driver.driver_id = DriverId{words.next()};
    driver.description.command.arguments = {"drive"};
    driver.attempts = words.number_after("attempts").value_or(1);
    driver.restart_pause_ms = words.number_after("pause").value_or(1000);
    driver.description.supervise = words.take("supervise");
    driver.kill_requested = words.take("killed");
    if (words.take("finished"))
      driver.ended = DriverStateChanged{driver.driver_id, DriverState::FINISHED,
                                        std::nullopt, 0};
  } else {
    auto id = executor_id(words.next());
    auto killed = words.take("killed");
    record.executor = ExecutorRecord{id.app_id, id.exec_id, 2, 512, killed};
  }
  if (words.take("of"))
    record.worker_id = WorkerId{words.next()};
  return result;
}

MessageToWorker kill(Words& words) {
  if (words.take("driver"))
    return KillDriver{DriverId{words.next()}};
  auto id = executor_id(words.next());
  return KillExecutor{"stoker://m1:7070", id.app_id, id.exec_id};
}

/// What processes do; nothing when the verb is none of theirs.
std::optional<WorkerEvent> process_event(const std::string& verb,
                                         Words& words) {
  if (verb == "runs")
    return ProcessStarted{program_id(words.next())};
  if (verb == "exits") {
    auto id = program_id(words.next());
    ProcessEnded result{id, words.small_number(), std::nullopt};
    if (words.take("ago"))
      result.ago = words.duration();
    return result;
  }
  if (verb == "signal") {
    auto id = program_id(words.next());
    return ProcessEnded{id, std::nullopt, words.small_number()};
  }
  if (verb == "fails") {
    ProcessFailed result{program_id(words.next()), "cannot start it",
                         std::nullopt};
    if (!words.empty())
      result.exit_status = words.small_number();
    return result;
  }
  if (verb == "missing")
    return ProcessNotFound{program_id(words.next())};
  if (verb == "vanishes")
    return ProcessLost{program_id(words.next()), "its supervisor was killed"};
  return std::nullopt;
}

Happening happening(const std::string& verb, Words& words) {
  static const std::map<std::string, WorkerEvent> events{
      {"started", WorkerStarted{}},
      {"connected", MasterConnected{}},
      {"disconnected", MasterDisconnected{}},
      {"tick", WorkerTick{}},
      {"stop", WorkerStopRequested{}}};
  static const std::map<std::string, MessageToWorker> messages{
      {"registered", RegisteredWorker{"stoker://m1:7070", false}},
      {"leader", MasterChanged{"stoker://m2:7070"}},
      {"standby", MasterInStandby{}},
      {"reconnect", ReconnectWorker{"stoker://m1:7070"}},
      {"decommission", DecommissionWorker{}}};
  if (auto i = events.find(verb); i != events.end())
    return i->second;
  if (auto i = messages.find(verb); i != messages.end())
    return i->second;
  if (auto result = process_event(verb, words))
    return *result;
  if (verb == "connection" && words.take("failed"))
    return WorkerEvent{MasterConnectionFailed{0, rest_of(words)}};
  if (verb == "refused")
    return MessageToWorker{RegisterWorkerFailed{rest_of(words)}};
  if (verb == "launch")
    return launch(words);
  if (verb == "driver")
    return driver(words);
  if (verb == "found")
    return found(words);
  if (verb == "kill")
    return kill(words);
  if (verb == "finished")
    return MessageToWorker{ApplicationFinished{AppId{words.next()}}};
  if (verb == "acknowledged") {
    auto id = executor_id(words.next());
    return WorkerEvent{StateAcknowledged{id, executor_state(words.next())}};
  }
  words.fail();
}

} // namespace

ExecutorId executor_id(const std::string& text) {
  auto slash = text.rfind('/');
  return {AppId{text.substr(0, slash)}, std::stoi(text.substr(slash + 1))};
}

std::string to_string(const WorkerEffect& x) {
  return std::visit(Renderer{}, x);
}

std::string WorkerTrace::run(const std::string& line) {
  Words words{line};
  if (words.take("new")) {
    renew(words);
    return {};
  }
  if (words.take("at"))
    now_ = Instant{words.duration()};
  auto what = happening(words.next(), words);
  if (!words.empty())
    words.fail();
  auto effects = std::visit(
      [this](const auto& x) { return worker_.step(now_, x); }, what);
  std::string result;
  for (const auto& effect : effects)
    result += to_string(effect) + '\n';
  return result;
}

void WorkerTrace::renew(Words& words) {
  auto config = traced_worker();
  (void)words.take("worker");
  if (auto masters = words.number_after("masters"))
    config.registration.masters = static_cast<std::size_t>(*masters);
  if (auto kept = words.number_after("keep"))
    config.retained_directories = *kept;
  if (!words.empty())
    words.fail();
  worker_ = PlayedWorker{std::move(config)};
  now_ = Instant{};
}

} // namespace stoker::test
