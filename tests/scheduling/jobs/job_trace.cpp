#include "tests/scheduling/jobs/job_trace.hpp"

#include <set>
#include <sstream>
#include <stdexcept>

#include "scheduling/jobs/job_invariants.hpp"
#include "scheduling/jobs/render_jobs.hpp"

namespace stoker::test {

namespace {

/// Reads a number from the front of a text.
int take_number(std::string& text) {
  std::size_t used = 0;
  auto result = std::stoi(text, &used);
  text.erase(0, used);
  return result;
}

Duration duration_of(const std::string& text) {
  return Words{text}.duration();
}

void set(StageSpec& stage, const std::string& name, const std::string& value) {
  if (name == "fails") {
    stage.max_failures = std::stoi(value);
  } else if (name == "limit") {
    stage.time_limit = duration_of(value);
  } else if (name == "barrier") {
    stage.is_barrier = value == "true";
  } else if (name == "kills") {
    stage.kills_count = value != "lost";
  } else if (name == "at") {
    std::istringstream hosts{value};
    for (std::string host; std::getline(hosts, host, ',');)
      stage.places.push_back(host == "-" ? std::vector<TaskPlace>{}
                                         : std::vector{TaskPlace{host, {}}});
  } else {
    throw std::invalid_argument{"not a field of a stage: " + name};
  }
}

void set(JobsConfig& config, const std::string& name,
         const std::string& value) {
  if (name == "mode")
    config.mode = value == "FAIR" ? SchedulingMode::FAIR : SchedulingMode::FIFO;
  else if (name == "wait")
    config.wait_for_process = config.wait_for_host = duration_of(value);
  else if (name == "speculation")
    config.speculation.enabled = value == "true";
  else if (name == "exclusion")
    config.exclusion.enabled = value == "true";
  else if (name == "queued_work")
    config.queued_work = duration_of(value);
  else if (name == "leaving")
    config.leaving.tasks_may_end = value == "true";
  else if (name == "force_kill_timeout")
    config.leaving.force_kill_timeout = duration_of(value);
  else if (name == "kill_interval")
    config.leaving.kill_interval = duration_of(value);
  else if (name == "heartbeats")
    config.heartbeats.interval = duration_of(value);
  else if (name == "silence")
    config.heartbeats.timeout = duration_of(value);
  else if (name == "slots_checks_max")
    config.barrier.slots_checks_max = std::stoi(value);
  else if (name == "reserve_after")
    config.barrier.reserve_after = duration_of(value);
  else if (name == "reserve_for")
    config.barrier.reserve_for = duration_of(value);
  else if (name == "lost_executors_max")
    config.lost_executors_max = std::stoi(value);
  else
    throw std::invalid_argument{"not a field of a configuration: " + name};
}

JobSubmitted job(Words& words) {
  JobSubmitted result;
  result.job.id = JobId{words.small_number()};
  result.job.name = "job";
  if (words.take("pool"))
    result.job.pool = words.next();
  std::set<StageId> read;
  while (!words.empty()) {
    auto word = words.next();
    if (auto split = word.find('='); split != std::string::npos) {
      set(result.job.stages.back(), word.substr(0, split),
          word.substr(split + 1));
      continue;
    }
    result.job.stages.push_back(stage_spec(word));
    for (const auto& x : result.job.stages.back().reads)
      read.insert(x.stage);
  }
  for (auto& stage : result.job.stages)
    stage.is_result = !read.contains(stage.id);
  if (auto valid = validate(result.job); !valid)
    throw std::invalid_argument{valid.error().message};
  return result;
}

std::string time_text(const std::optional<std::int64_t>& begin_ms,
                      const std::optional<std::int64_t>& end_ms) {
  auto text = [](const std::optional<std::int64_t>& x) {
    return x ? std::to_string(*x) : std::string{"-"};
  };
  return text(begin_ms) + ".." + (end_ms ? text(end_ms) : "");
}

/// "1 of 4, 2 run, 1 failed"
template <class Info>
std::string tasks_text(const Info& x) {
  return std::to_string(x.done) + " of " + std::to_string(x.tasks) + ", "
         + std::to_string(x.running) + " run, " + std::to_string(x.failed)
         + " failed";
}

std::string text_of(const ReportJobs& x) {
  std::string result;
  for (const auto& job : x.jobs)
    result += "job " + to_string(job.id) + ' ' + to_string(job.status) + ' '
              + time_text(job.submitted_ms, job.ended_ms) + " stages "
              + std::to_string(job.stages_complete) + " of "
              + std::to_string(job.stages) + ", tasks " + tasks_text(job)
              + (job.message.empty() ? "" : ": " + job.message) + '\n';
  for (const auto& stage : x.stages) {
    result += "stage " + to_string(stage.id) + " of";
    for (auto id : stage.jobs)
      result += ' ' + to_string(id);
    result += ' ' + to_string(stage.status) + ' '
              + time_text(stage.started_ms, stage.ended_ms) + ' '
              + tasks_text(stage)
              + (stage.waits.empty() ? "" : ": " + stage.waits) + '\n';
  }
  return result;
}

} // namespace

StageSpec stage_spec(const std::string& text) {
  auto rest = text;
  StageSpec result;
  result.id = StageId{take_number(rest)};
  result.name = "s" + to_string(result.id);
  while (!rest.empty()) {
    auto what = rest.front();
    rest.erase(0, 1);
    auto number = take_number(rest);
    if (what == 'x')
      result.tasks = number;
    else if (what == '*')
      result.cores = number;
    else if (what == '<')
      result.reads.push_back({StageId{number}, DependencyKind::shuffle});
    else if (what == '-')
      result.reads.push_back({StageId{number}, DependencyKind::narrow});
    else
      throw std::invalid_argument{"not a stage: " + text};
  }
  return result;
}

TaskAttempt task_attempt(const std::string& text) {
  TaskAttempt result;
  char slash = 0;
  char dot = 0;
  std::istringstream in{text};
  in >> result.stage.value >> slash >> result.task >> dot >> result.attempt;
  if (!in || slash != '/' || dot != '.')
    throw std::invalid_argument{"not an attempt: " + text};
  return result;
}

RegisterExecutor executor(int exec_id, int cores, const std::string& host,
                          const std::string& worker) {
  auto of = worker.empty() ? "w-" + host : worker;
  return {exec_id, WorkerId{of}, host, cores,
          OutputServer{host, 7000, "/outputs", "id-" + of}};
}

std::string JobTrace::run(const std::string& line) {
  Words words{line};
  if (words.take("new")) {
    renew(words);
    return {};
  }
  if (words.take("at"))
    now_ = Instant{words.duration()};
  if (words.take("report"))
    return text_of(history_.report(now_, scheduler_.state()));
  auto what = event(words.next(), words);
  if (!words.empty())
    words.fail();
  std::string result;
  history_.before(now_, what);
  for (const auto& effect : scheduler_.step(now_, what)) {
    history_.hear(now_, effect);
    result += to_string(effect) + '\n';
  }
  history_.after(scheduler_.state());
  if (auto wrong = invariant_violation(scheduler_.state()))
    result += "INVARIANT: " + *wrong + '\n';
  return result;
}

void JobTrace::renew(Words& words) {
  JobsConfig config;
  // Most traces are about one thing, and not about this.
  config.queued_work = Duration{0};
  config.heartbeats.interval = Duration{0};
  while (!words.empty()) {
    auto word = words.next();
    auto split = word.find('=');
    set(config, word.substr(0, split), word.substr(split + 1));
  }
  scheduler_ = JobScheduler{config};
  history_ = {};
  now_ = Instant{};
}

JobsEvent JobTrace::event(const std::string& verb, Words& words) {
  if (verb == "job")
    return job(words);
  if (verb == "cancel")
    return JobCancelled{JobId{words.small_number()}, "it is not wanted"};
  if (verb == "release") {
    StagesReleased result;
    while (!words.empty())
      result.stages.push_back(StageId{words.small_number()});
    return result;
  }
  if (verb == "executor") {
    auto id = words.small_number();
    auto host = words.take("on") ? words.next() : "h1";
    auto worker = words.take("of") ? words.next() : "";
    return executor(id, words.cores().value_or(1), host, worker);
  }
  if (verb == "leave")
    return DecommissionExecutor{words.small_number(), "it is not needed"};
  if (verb == "keep")
    return KeepExecutor{words.small_number()};
  if (verb == "heartbeat")
    return ExecutorHeartbeat{words.small_number()};
  if (verb == "disconnected")
    return ExecutorDisconnected{words.small_number()};
  if (verb == "ended") {
    auto id = words.small_number();
    auto by_itself = words.take("by") && words.take("itself");
    return ExecutorEnded{
        id, by_itself ? ExecutorLoss::by_itself : ExecutorLoss::from_outside,
        by_itself ? "exit code 3" : "killed"};
  }
  if (verb == "lost")
    return OutputsGone{WorkerId{words.next()}};
  if (verb == "fetched") {
    auto id = task_attempt(words.next());
    return ResultFetched{id, words.take("failed") ? "it is damaged" : ""};
  }
  if (verb == "tick")
    return JobsTick{};
  return status(verb, words);
}

StatusUpdates JobTrace::status(const std::string& verb, Words& words) {
  StatusUpdates result;
  if (verb == "returns") {
    result.exec_id = words.small_number();
    result.returned.emplace();
    while (!words.empty())
      result.returned->push_back(task_attempt(words.next()));
    return result;
  }
  TaskStatus x;
  x.id = task_attempt(words.next());
  for (const auto& [exec_id, executor] : scheduler_.state().executors.all())
    for (const auto& task : executor.assigned)
      if (task.id == x.id)
        result.exec_id = exec_id;
  if (verb == "done") {
    if (words.take("in"))
      x.run_ms = words.duration().count();
    x.result_is_stored = words.take("stored");
  } else if (verb == "fails") {
    x.state = TaskState::FAILED;
    x.error = words.next();
    x.exit_status = words.number_after("with");
    x.last_lines = "last lines";
  } else if (verb == "fills") {
    x.state = TaskState::FAILED;
    x.error = "no space";
    x.disk_full = true;
  } else if (verb == "killed") {
    x.state = TaskState::KILLED;
  } else if (verb == "misses") {
    x.state = TaskState::FAILED;
    x.error = "cannot read it";
    x.fetch_failed
        = FetchFailed{task_attempt(words.next()), words.take("unreachable")};
  } else {
    words.fail();
  }
  if (words.take("on"))
    result.exec_id = words.small_number();
  result.ended.push_back(std::move(x));
  return result;
}

} // namespace stoker::test
