#include "tests/scheduling/master/trace.hpp"

#include <regex>
#include <sstream>

#include "messages/json.hpp"
#include "scheduling/master/invariants.hpp"
#include "scheduling/master/render.hpp"
#include "scheduling/master/snapshot.hpp"

namespace stoker::test {

namespace {

std::map<std::string, int>
amounts(const std::map<std::string, std::string>& pairs) {
  std::map<std::string, int> result;
  for (const auto& [name, value] : pairs)
    result[name] = std::stoi(value);
  return result;
}

/// "a" and "b" of "a,b"
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream in{list};
  for (std::string part; std::getline(in, part, ',');)
    result.push_back(part);
  return result;
}

/// `spark 3.5.9 settings spark.executor.cores=2,spark.cores.max=4`
/// @param possible Gets the versions that a driver may have: `spark ?3.5.9,3.4.4`
Command command(const std::string& program, Words& words,
                std::vector<std::string>* possible = nullptr) {
  Command result;
  if (words.take("spark")) {
    auto version = words.next();
    if (version.starts_with('?')) {
      if (possible != nullptr)
        *possible = parts_of(version.substr(1));
      version.clear();
    }
    result.spark = SparkProgram{version, "Main", {}, {}, {}};
    if (words.take("settings"))
      for (const auto& x : parts_of(words.next()))
        result.spark->java_options.push_back("-D" + x);
  } else
    result.arguments = {program};
  return result;
}

/// `on-end hook [retries 2]`
std::optional<EndHook> hook(Words& words) {
  if (!words.take("on-end"))
    return std::nullopt;
  EndHook result;
  result.command.arguments = {words.next()};
  result.retries = words.number_after("retries").value_or(0);
  return result;
}

} // namespace

Trace::Trace() : cluster_(std::make_unique<Cluster>(ClusterConfig{})) {
}

Trace::Trace(std::initializer_list<const char*> lines) : Trace() {
  for (const auto* line : lines)
    (void)run(line);
}

std::string Trace::run(const std::string& line) {
  Words words{line};
  if (words.take("at"))
    now_ = Instant{words.duration()};
  auto verb = words.next();
  if (verb == "config") {
    configure(words);
    return {};
  }
  if (verb == "show")
    return shorten(show());
  if (verb == "plan")
    return plan(words);
  if (verb == "explain")
    return shorten(explain(words));
  if (verb == "queues")
    return shorten(queues());
  if (verb == "status") {
    auto status
        = driver_status(cluster_->state(), DriverId{full_id(words.next())});
    return shorten(boost::json::serialize(to_json(status))) + '\n';
  }
  auto what = event(verb, words);
  if (!words.empty())
    words.fail();
  std::string result;
  auto step = cluster_->step(now_, what);
  stored_.apply(step.changes);
  for (const auto& text : to_lines(step))
    result += shorten(text) + '\n';
  if (auto problem = invariant_violation(cluster_->state()))
    result += "BROKEN: " + *problem + '\n';
  return result;
}

Event Trace::event(const std::string& verb, Words& words) {
  if (verb == "restart")
    cluster_ = std::make_unique<Cluster>(cluster_->config());
  if (verb == "elect" || verb == "restart")
    return ElectedLeader{LeaderEpoch{++epoch_}, stored_.snapshot()};
  if (verb == "tick")
    return CheckForWorkerTimeOut{};
  if (verb == "stalled")
    return MasterStalled{words.duration().count()};
  if (verb == "lost")
    return EndpointLost{EndpointId{words.next()}};
  if (verb == "worker")
    return worker(words);
  if (verb == "heartbeat") {
    auto name = words.next();
    return Heartbeat{WorkerId{name}, endpoint(name, words)};
  }
  if (verb == "report")
    return report(words);
  if (verb == "state") {
    auto x = report(words);
    return WorkerSchedulerStateResponse{x.id, x.executors, x.driver_ids,
                                        x.applications, x.question};
  }
  if (verb == "acknowledge")
    return MasterChangeAcknowledged{AppId{full_id(words.next())}};
  if (verb == "leaving") {
    auto name = words.next();
    return WorkerDecommissioning{WorkerId{name}, EndpointId{name}};
  }
  if (verb == "left") {
    auto name = words.next();
    return WorkerLeft{WorkerId{name}, endpoint(name, words)};
  }
  if (verb == "decommission") {
    DecommissionWorkers result;
    while (!words.empty())
      result.ids.push_back(WorkerId{words.next()});
    return result;
  }
  if (verb == "app")
    return application(words);
  if (verb == "alive") {
    auto name = words.next();
    ApplicationHeartbeat result{endpoint(name, words), {}};
    if (words.take("heard"))
      result.heard.value = static_cast<std::uint64_t>(words.small_number());
    return result;
  }
  if (verb == "want") {
    RequestExecutors result;
    result.app_id = AppId{full_id(words.next())};
    result.requested_total = words.small_number();
    result.gang = words.number_after("gang");
    if (auto hosts = amounts(words.pairs_after("on")); !hosts.empty())
      result.preferred_hosts = hosts;
    return result;
  }
  if (verb == "version") {
    AppId id{full_id(words.next())};
    auto version = words.next();
    return SetSparkVersion{id, version, words.take("guess")};
  }
  if (verb == "unregister")
    return unregister(words);
  if (verb == "kill")
    return kill(words);
  if (verb == "executor")
    return executor(words);
  if (verb == "tenants") {
    auto json = boost::json::parse(words.next());
    return ReconfigureTenants{from_json<TenantsConfig>(json)};
  }
  if (verb == "submit")
    return driver_description(words);
  if (verb == "driver")
    return driver(words);
  words.fail();
}

// -- commands -----------------------------------------------------------------

void Trace::configure(Words& words) {
  auto fields = to_json(ClusterConfig{}).as_object();
  while (!words.empty()) {
    auto word = words.next();
    auto split = word.find('=');
    if (split == std::string::npos || !fields.contains(word.substr(0, split)))
      words.fail();
    fields[word.substr(0, split)] = boost::json::parse(word.substr(split + 1));
  }
  cluster_ = std::make_unique<Cluster>(from_json<ClusterConfig>(fields));
  full_ids_.clear();
  stored_ = {};
}

RegisterWorker Trace::worker(Words& words) {
  RegisterWorker result;
  result.id = WorkerId{words.next()};
  result.host = result.id.value;
  result.cores = words.cores().value_or(0);
  result.memory_mb = words.memory_mb();
  if (words.take("at")) {
    auto address = words.next();
    auto split = address.find(':');
    result.host = address.substr(0, split);
    result.port = std::stoi(address.substr(split + 1));
  }
  for (const auto& [name, list] : words.pairs_after("with"))
    result.resources[name] = parts_of(list);
  if (words.take("spark"))
    result.spark_versions = parts_of(words.next());
  result.only_spark = words.take("only");
  result.leaving = words.take("leaving");
  result.runs_programs = words.take("busy");
  result.worker = endpoint(result.id.value, words);
  return result;
}

WorkerLatestState Trace::report(Words& words) {
  WorkerLatestState result;
  result.id = WorkerId{words.next()};
  if (words.take("old"))
    result.question.emplace();
  while (!words.empty()) {
    auto word = words.next();
    if (word == "of") {
      result.applications.push_back(AppId{full_id(words.next())});
      continue;
    }
    if (word.find('/') == std::string::npos) {
      result.driver_ids.push_back(DriverId{full_id(word)});
      continue;
    }
    auto id = executor_id(word);
    result.executors.push_back(
        {id.app_id, id.exec_id, 1, 1, ExecutorState::RUNNING});
  }
  return result;
}

RegisterApplication Trace::application(Words& words) {
  RegisterApplication result;
  auto& description = result.description;
  description.name = words.next();
  std::vector<std::string> possible;
  description.command = command("executor", words, &possible);
  if (!possible.empty())
    description.spark_driver
        = SparkDriver{description.name, 4041, possible.front(), {}, possible};
  description.cores_per_executor = words.cores();
  if (!words.take("any"))
    description.memory_per_executor_mb = words.memory_mb();
  description.max_cores = words.number_after("max");
  description.initial_executor_limit = words.number_after("limit");
  description.gang = words.number_after("gang");
  if (auto count = words.number_after("instances"))
    description.instances
        = Instances{*count,
                    words.number_after("failures").value_or(0),
                    words.take("keep-going"),
                    {}};
  if (words.take("must"))
    description.reject_if_it_cannot_fit = words.take("fit");
  description.resources_per_executor = amounts(words.pairs_after("needs"));
  description.preferred_hosts = amounts(words.pairs_after("on"));
  if (words.take("of"))
    description.driver_id = DriverId{full_id(words.next())};
  if (words.take("by"))
    description.user = words.next();
  if (auto memory_mb = words.number_after("task"))
    description.memory_per_task_mb = *memory_mb;
  description.priority = words.number_after("priority").value_or(0);
  description.sql = words.take("sql");
  if (words.take("within"))
    description.time_limit_ms = words.duration().count();
  description.after = dependencies(words);
  description.on_end = hook(words);
  if (words.take("was"))
    result.app_id = AppId{full_id(words.next())};
  result.driver = endpoint(description.name, words);
  return result;
}

Event Trace::unregister(Words& words) {
  UnregisterApplication result{AppId{full_id(words.next())}, false, {}};
  result.interrupted = words.take("interrupted");
  if (words.take("failed"))
    for (result.failure.emplace(); !words.empty();)
      *result.failure += (result.failure->empty() ? "" : " ") + words.next();
  return result;
}

Event Trace::kill(Words& words) {
  auto first = words.next();
  if (first.find('/') == std::string::npos) {
    auto id = full_id(first);
    if (first.starts_with("driver"))
      return RequestKillDriver{DriverId{id}};
    return RequestKillApplication{AppId{id}};
  }
  KillExecutors result{executor_id(first).app_id, {executor_id(first).exec_id}};
  while (!words.empty())
    result.executor_ids.push_back(executor_id(words.next()).exec_id);
  return result;
}

std::optional<std::int64_t> Trace::ago(Words& words) {
  return words.take("ago") ? std::optional{words.duration().count()}
                           : std::nullopt;
}

ExecutorStateChanged Trace::executor(Words& words) {
  auto id = executor_id(words.next());
  ExecutorStateChanged result;
  result.app_id = id.app_id;
  result.exec_id = id.exec_id;
  auto state = words.next();
  result.state = state == "running"  ? ExecutorState::RUNNING
                 : state == "exited" ? ExecutorState::EXITED
                 : state == "failed" ? ExecutorState::FAILED
                 : state == "killed" ? ExecutorState::KILLED
                 : state == "lost"   ? ExecutorState::LOST
                                     : ExecutorState::LAUNCHING;
  result.ended_ago_ms = ago(words);
  if (!words.empty())
    result.exit_status = words.small_number();
  return result;
}

RequestSubmitDriver Trace::driver_description(Words& words) {
  RequestSubmitDriver result;
  auto& description = result.driver_description;
  description.name = words.next();
  description.command = command("driver", words);
  description.cores = words.cores().value_or(1);
  description.memory_mb = words.memory_mb();
  if (words.take("by"))
    description.user = words.next();
  description.supervise = words.take("supervise");
  description.max_restarts = words.number_after("restarts");
  if (words.take("must"))
    description.reject_if_it_cannot_fit = words.take("fit");
  description.resources = amounts(words.pairs_after("needs"));
  if (words.take("with")) {
    DriverExecutors executors;
    executors.count = words.small_number();
    words.take("of");
    executors.cores = words.cores().value_or(1);
    executors.memory_mb = words.memory_mb();
    executors.resources = amounts(words.pairs_after("needs"));
    description.executors = executors;
  }
  description.after = dependencies(words);
  description.on_end = hook(words);
  if (words.take("as"))
    result.submission = words.next();
  return result;
}

std::vector<Dependency> Trace::dependencies(Words& words) const {
  std::vector<Dependency> result;
  while (true) {
    Dependency x;
    if (words.take("after-ok"))
      x.success = true;
    else if (!words.take("after"))
      return result;
    auto id = full_id(words.next());
    if (id.starts_with("driver"))
      x.driver = DriverId{id};
    else
      x.app = AppId{id};
    result.push_back(std::move(x));
  }
}

DriverStateChanged Trace::driver(Words& words) {
  DriverStateChanged result;
  result.driver_id = DriverId{full_id(words.next())};
  auto state = words.next();
  result.state = state == "running"    ? DriverState::RUNNING
                 : state == "finished" ? DriverState::FINISHED
                 : state == "failed"   ? DriverState::FAILED
                 : state == "killed"   ? DriverState::KILLED
                                       : DriverState::ERROR;
  result.ended_ago_ms = ago(words);
  if (!words.empty())
    result.exit_status = words.small_number();
  return result;
}

// -- names --------------------------------------------------------------------

EndpointId Trace::endpoint(const std::string& name, Words& words) {
  return EndpointId{words.take("via") ? words.next() : name};
}

std::string Trace::full_id(const std::string& text) const {
  auto i = full_ids_.find(text);
  return i == full_ids_.end() ? text : i->second;
}

ExecutorId Trace::executor_id(const std::string& text) const {
  auto slash = text.find('/');
  return {AppId{full_id(text.substr(0, slash))},
          std::stoi(text.substr(slash + 1))};
}

std::string Trace::shorten(std::string text) {
  static const std::regex pattern{"(app|driver)-[0-9]{14}-0*([0-9]+)"};
  for (std::smatch match; std::regex_search(text, match, pattern);) {
    auto brief = match.str(1) + '-' + match.str(2);
    full_ids_[brief] = match.str(0);
    text = match.prefix().str() + brief + match.suffix().str();
  }
  return text;
}

} // namespace stoker::test
