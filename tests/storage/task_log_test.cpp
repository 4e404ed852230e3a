// Logs of task schedulers, written and read: storage/task_log.hpp.

#include "storage/task_log.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "scheduling/jobs/render_jobs.hpp"
#include "storage/message_log.hpp"
#include "storage/message_log_reader.hpp"
#include "tests/storage/recorded_jobs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fill.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// As the log has it: without what is the user's.
void hide_results(StatusUpdates& x) {
  for (auto& status : x.ended)
    if (status.result)
      status.result = "(" + std::to_string(status.result->size()) + " bytes)";
}

/// One event of each type, as it is new and with every field filled.
std::vector<JobsEvent> all_jobs_events(std::uint64_t seed) {
  Random random{seed};
  std::vector<JobsEvent> result;
  auto add = [&]<class T>(T x) {
    result.emplace_back(x);
    stoker::test::fill(x, random);
    result.emplace_back(x);
  };
  [&]<class... Ts>(std::variant<Ts...>*) {
    (add(Ts{}), ...);
  }(static_cast<JobsEvent*>(nullptr));
  return result;
}

JobsEvent as_logged(JobsEvent x) {
  if (auto* updates = std::get_if<StatusUpdates>(&x))
    hide_results(*updates);
  return x;
}

/// The line of a step.
std::string line_of(const JobsEvent& event, const JobsEffects& effects = {}) {
  JobsEffectLines lines;
  std::string result;
  append_step(result, Instant{}, event, effects, lines);
  return result;
}

JobsEvent read_back(const JobsEvent& event) {
  auto line = line_of(event);
  line.pop_back();
  return TaskLog::parse_step(line).event;
}

/// A stage of so many tasks, each with the same places.
JobSubmitted placed_job(int tasks, const std::vector<TaskPlace>& places) {
  StageSpec stage;
  stage.tasks = tasks;
  stage.is_result = true;
  stage.places.assign(static_cast<std::size_t>(tasks), places);
  return {{JobId{1}, "placed", "default", {stage}}};
}

TellOutputs told_outputs(int count) {
  auto outputs = std::make_shared<StageOutputs>();
  outputs->servers.push_back({"h", 7000, "/outputs", "id"});
  outputs->places.assign(static_cast<std::size_t>(count), {0, 0});
  return {3, outputs};
}

const std::string task_header = R"({"stoker_task_log":1,"config":{}})"
                                "\n";
const std::string task_step = R"({"at":1,"event":{"JobsTick":{}},"effects":[]})"
                              "\n";

std::string problem_in_task_log(const std::string& log) {
  std::istringstream in{log};
  try {
    TaskLogReader reader{in};
    while (reader.next())
      continue;
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return {};
}

std::size_t steps_in_task_log(const std::string& log) {
  std::istringstream in{log};
  TaskLogReader reader{in};
  std::size_t result = 0;
  while (reader.next())
    ++result;
  return result;
}

} // namespace

TEST_CASE("every event of a task scheduler comes back as it was written",
          "[storage][task-log]") {
  auto seed = GENERATE(range(1, 20));
  INFO("seed " << seed);
  TemporaryDirectory directory;
  auto path = directory.path("log");
  auto events = all_jobs_events(static_cast<std::uint64_t>(seed));
  CHECK(events.size() == 2 * std::variant_size_v<JobsEvent>);
  JobsEffects effects{TellStage{1, StageId{2}},
                      JobsWakeAt{Instant{Duration{5}}}};
  Instant at{Duration{1}};
  TaskLogWriter writer{path, JobsConfig{}};
  for (const auto& event : events)
    CHECK(writer.append(at += Duration{1}, event, effects));
  writer.flush();

  std::ifstream in{path};
  TaskLogReader reader{in};
  at = Instant{Duration{1}};
  std::uint64_t number = 0;
  for (const auto& event : events) {
    INFO(to_string(event));
    auto read = reader.next();
    REQUIRE(read);
    CHECK(read->number == ++number);
    CHECK(read->at == (at += Duration{1}));
    CHECK(read->event == as_logged(event));
    CHECK(read->effects
          == std::vector<std::string>{"TellStage exec_id=1 stage=2",
                                      "JobsWakeAt when_ms=5"});
  }
  CHECK_FALSE(reader.next());
}

TEST_CASE("a log has the configuration of its task scheduler",
          "[storage][task-log]") {
  TemporaryDirectory directory;
  JobsConfig config;
  config.mode = SchedulingMode::FAIR;
  config.pools["a"] = {SchedulingMode::FAIR, 3, 4};
  config.wait_for_host = Duration{12345};
  config.exclusion.enabled = true;
  config.speculation.quantile = 0.5;
  config.lost_executors_max = 7;
  TaskLogWriter writer{directory.path("log"), config};
  CHECK(TaskLogReader{std::vector{directory.path("log")}}.config() == config);
  CHECK(*log_kind(directory.path("log")) == LogKind::task_scheduler);
}

TEST_CASE("results are not in a log, only how large they are",
          "[storage][task-log]") {
  StatusUpdates updates;
  updates.ended.emplace_back().result = std::string(1 << 20, 'x');
  JobsEffects effects{AcceptResult{JobId{1}, {}, updates.ended[0].result},
                      AcceptResult{JobId{1}, {}, {}}};
  auto line = line_of(updates, effects);
  CHECK(line.size() < 300);
  CHECK(line.find("\"result\":\"(1048576 bytes)\"") != std::string::npos);
  CHECK(line.find("\"AcceptResult job=1 id=0/0.0 result=(not shown)\"")
        != std::string::npos);
  CHECK(line.find("\"AcceptResult job=1 id=0/0.0\"") != std::string::npos);
}

TEST_CASE("of what a task wrote to standard error a log has the end",
          "[storage][task-log]") {
  StatusUpdates updates;
  auto& status = updates.ended.emplace_back();
  status.state = TaskState::FAILED;
  status.last_lines = std::string(3000, 'x') + "the end\n";
  JobsEffects effects{AttemptFailed{{}, 1, "h", "", status.last_lines, 1},
                      JobEnded{{}, {}, "", status.last_lines, {}}};
  auto line = line_of(updates, effects);
  CHECK(line.size() < 4000);
  auto read = std::get<StatusUpdates>(read_back(updates)).ended.at(0);
  CHECK(read.last_lines.size() == logged_lines_bytes_max);
  CHECK(read.last_lines.ends_with("xthe end\n"));

  SECTION("which begins with a whole character") {
    status.last_lines = "";
    for (int i = 0; i < 1000; ++i)
      status.last_lines += "\u20ac";
    read = std::get<StatusUpdates>(read_back(updates)).ended.at(0);
    CHECK(read.last_lines.size() == logged_lines_bytes_max - 1);
    CHECK(read.last_lines.starts_with("\u20ac"));
  }
  SECTION("whatever bytes it has") {
    status.last_lines = std::string{"\0\xff\x80\r\n\"", 6};
    read = std::get<StatusUpdates>(read_back(updates)).ended.at(0);
    CHECK(read.last_lines == status.last_lines);
    status.last_lines.assign(3000, '\x80');
    read = std::get<StatusUpdates>(read_back(updates)).ended.at(0);
    CHECK(read.last_lines.empty());
  }
}

TEST_CASE("a job of a million tasks is a short line", "[storage][task-log]") {
  constexpr int tasks = 1'000'000;
  auto job = placed_job(tasks, {{"host-1", {}}, {"host-2", 7}});
  CHECK(line_of(job).size() < 500);
  CHECK(read_back(job) == JobsEvent{job});
  job.job.stages[0].places.clear();
  CHECK(line_of(job).size() < 400);
  CHECK(read_back(job) == JobsEvent{job});
}

TEST_CASE("places that differ from task to task come back",
          "[storage][task-log]") {
  auto job = placed_job(5, {{"a", {}}});
  auto& places = job.job.stages[0].places;
  places[1] = {};
  places[2] = {};
  places[4] = {{"b", 1}, {"a", {}}};
  CHECK(read_back(job) == JobsEvent{job});
}

TEST_CASE("no line makes a reader take all memory for places",
          "[storage][task-log]") {
  for (const std::string places :
       {R"([{"tasks":9000000000000000000,"places":[]}])",
        R"([{"tasks":10000001,"places":[]}])",
        R"([{"tasks":6000000,"places":[{"host":"a"}]}])",
        R"([{"tasks":0,"places":[]}])", R"([{"tasks":-1,"places":[]}])",
        R"([{}])", R"([[]])", R"({})"}) {
    INFO(places);
    CHECK(
        problem_in_task_log(
            task_header
            + R"({"at":1,"event":{"JobSubmitted":{"job":{"stages":[{"places":)"
            + places + "}]}}},\"effects\":[]}\n")
            .find("line 2 is damaged: places")
        == 0);
  }
}

TEST_CASE("long lists of outputs are told apart by a fingerprint",
          "[storage][task-log]") {
  JobsEffectLines lines;
  auto told = told_outputs(logged_outputs_max);
  CHECK(lines.line(told).find("places=[{server=0 attempt=0} ")
        != std::string_view::npos);
  told = told_outputs(1'000'000);
  std::string text{lines.line(told)};
  CHECK(text.starts_with("TellOutputs exec_id=3 stage=0 servers=1 "
                         "places=1000000 fingerprint="));
  CHECK(text.size() < 100);
  CHECK(lines.line(told_outputs(1'000'000)) == text);
  told.exec_id = 4;
  auto other_executor = text;
  other_executor.replace(other_executor.find('3'), 1, "4");
  CHECK(lines.line(told) == other_executor);
  SECTION("of places") {
    auto other = *told_outputs(1'000'000).outputs;
    other.places.back().attempt = 1;
    CHECK(lines.line(TellOutputs{3, std::make_shared<StageOutputs>(other)})
          != text);
  }
  SECTION("and of servers") {
    auto other = *told_outputs(1'000'000).outputs;
    other.servers.back().port = 7001;
    CHECK(lines.line(TellOutputs{3, std::make_shared<StageOutputs>(other)})
          != text);
  }
}

TEST_CASE("a last line of a task scheduler's log that was cut off is no error",
          "[storage][task-log]") {
  for (std::size_t n = 0; n < task_step.size(); ++n) {
    INFO("the first " << n << " bytes of it");
    auto log = task_header + task_step + task_step.substr(0, n);
    CHECK(problem_in_task_log(log).empty());
    CHECK(steps_in_task_log(log) == 1);
  }
  CHECK(steps_in_task_log(task_header + task_step + task_step) == 2);
}

TEST_CASE("a damaged line of a task scheduler's log is an error with its "
          "number",
          "[storage][task-log]") {
  for (const std::string line :
       {"", "{", "[]", "null", "{}", R"({"at":1})",
        R"({"at":"1","event":{"JobsTick":{}},"effects":[]})",
        R"({"at":0,"event":{"JobsTick":{}},"effects":[]})",
        R"({"at":1,"event":{},"effects":[]})",
        R"({"at":1,"event":{"ElectedLeader":{}},"effects":[]})",
        R"({"at":1,"event":{"JobsTick":[]},"effects":[]})",
        R"({"at":1,"event":{"JobSubmitted":[]},"effects":[]})",
        R"({"at":1,"event":{"JobSubmitted":{"job":1}},"effects":[]})",
        R"({"at":1,"event":{"JobsTick":{}},"effects":{}})"}) {
    INFO(line);
    auto problem = problem_in_task_log(task_header + task_step + line + "\n"
                                       + task_step);
    CHECK(problem.find("line 3 is damaged: ") == 0);
  }
}

TEST_CASE("what is no task scheduler's log of this version is refused",
          "[storage][task-log]") {
  CHECK(problem_in_task_log("") == "not a message log of Stoker");
  CHECK(problem_in_task_log("{}\n") == "not a message log of Stoker");
  CHECK(problem_in_task_log("{\"stoker_task_log\":2,\"config\":{}}\n")
        == "a task scheduler's log of version 2; this program reads version 1: "
           "use the 'stoker' that wrote it, or a newer one");
  CHECK(problem_in_task_log("{\"stoker_task_log\":1}\n")
        == "a message log without a configuration");
  CHECK(problem_in_task_log("{\"stoker_task_log\":1,\"config\":{"
                            "\"lost_executors_max\":0}}\n")
        == "the message log's configuration: a number of failures is below 1");
  CHECK(problem_in_task_log("{\"stoker_message_log\":3,\"config\":{}}\n")
        == "a master's log, and not a task scheduler's log");
  std::istringstream in{task_header};
  CHECK_THROWS_WITH(MessageLogReader{in},
                    "a task scheduler's log, and not a master's log");
}

TEST_CASE("a log of either kind makes room for the other one",
          "[storage][task-log]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  { MessageLogWriter writer{path, ClusterConfig{}}; }
  { TaskLogWriter writer{path, JobsConfig{}}; }
  CHECK(*log_kind(path) == LogKind::task_scheduler);
  CHECK(*log_kind(path + ".1") == LogKind::master);
  { MessageLogWriter writer{path, ClusterConfig{}}; }
  CHECK(*log_kind(path) == LogKind::master);
  CHECK(*log_kind(path + ".1") == LogKind::task_scheduler);
}

TEST_CASE("a task scheduler's log is for its owner alone",
          "[storage][task-log]") {
  TemporaryDirectory directory;
  auto path = directory.path("log");
  TaskLogWriter writer{path, JobsConfig{}};
  CHECK(mode_of(path) == 0600);
}
