// stoker job: stages of tasks that are programs, as one application.

#include <unistd.h>

#include <filesystem>
#include <map>

#include "actors/connector.hpp"
#include "embedding/gang_limits.hpp"
#include "embedding/job_session.hpp"
#include "embedding/job_settings.hpp"
#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"
#include "embedding/stop_signal.hpp"
#include "jobs/output_directories.hpp"
#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/job_file.hpp"
#include "tools/stoker/job_options.hpp"
#include "tools/stoker/job_output.hpp"
#include "tools/stoker/job_plan.hpp"
#include "tools/stoker/log_options.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/session_config.hpp"

namespace stoker {

namespace {

constexpr std::chrono::milliseconds news_awaited_for{100};

struct JobCommandOptions {
  AccessOptions access;
  ConfigOptions config;
  JobOutputOptions output;
  std::string file;
  JobOptions line;
  MessageLogOptions log;
  bool wait = false;
};

/// The plan, as a session takes it.
class PlannedWork : public JobWork {
public:
  PlannedWork(JobPlan plan, std::string pool)
      : plan_(std::move(plan)), job_(plan_.job()) {
    job_.pool = std::move(pool);
  }
  [[nodiscard]] const JobSpec& job() const override {
    return job_;
  }
  [[nodiscard]] DescribeStage describe(StageId stage) const override {
    return plan_.describe(stage);
  }
  [[nodiscard]] LaunchTask describe(const TaskAttempt& task) const override {
    return plan_.describe(task);
  }

private:
  JobPlan plan_;
  JobSpec job_;
};

JobFile file_of(const JobCommandOptions& options) {
  if (options.file.empty() && options.line.inputs.empty())
    throw CommandError{exit_usage,
                       "a job file is needed, or --input (see 'stoker job "
                       "--help')"};
  auto result = options.file.empty() ? job_file_of(options.line)
                                     : read_job_file(options.file);
  require_ok(exit_usage, result);
  return *std::move(result);
}

/// Those of the file, and after them those of the command line.
JobSettings settings_of(CLI::App& app, const JobCommandOptions& options,
                        const JobFile& file) {
  JobSettings result;
  result.application.memory_per_executor_mb = 512;
  result.application.cores_per_executor = 1;
  std::vector<Setting> settings;
  for (const auto& x : file.conf)
    settings.push_back({x.name, x.value, x.origin});
  auto others = load_settings(app, options.config);
  settings.insert(settings.end(), others.begin(), others.end());
  require_ok(exit_usage, apply_settings(settings, result));
  auto& application = result.application;
  if (*application.cores_per_executor < 1)
    throw CommandError{exit_usage, "an executor needs at least 1 core"};
  if (application.name.empty())
    application.name = file.name.empty() ? "job" : file.name;
  application.user = user_name(options.access.network);
  application.driver_id = own_driver();
  application.reject_if_it_cannot_fit = !options.wait;
  return result;
}

void check_cores(const JobSpec& job,
                 const ApplicationDescription& application) {
  for (const auto& stage : job.stages)
    if (stage.cores > *application.cores_per_executor)
      throw CommandError{exit_usage,
                         "a task of stage '" + stage.name + "' needs "
                             + std::to_string(stage.cores)
                             + " cores, and an executor has "
                             + std::to_string(*application.cores_per_executor)
                             + ": set spark.executor.cores"};
}

/// No more executors than there could be tasks at once.
void limit_executors(const JobSpec& job, ApplicationDescription& application) {
  std::int64_t most = 0;
  for (const auto& stage : job.stages) {
    auto together = *application.cores_per_executor / stage.cores;
    most += (stage.tasks + together - 1) / together;
  }
  most = std::min<std::int64_t>(most, 100'000);
  auto& limit = application.initial_executor_limit;
  limit = std::min(limit.value_or(static_cast<int>(most)),
                   static_cast<int>(most));
}

/// Writes results to standard output, in order of stages and tasks.
class OrderedResults {
public:
  explicit OrderedResults(const JobWork& work) {
    for (const auto& stage : work.job().stages)
      if (stage.is_result
          && work.describe(stage.id).output == TaskOutputKind::result)
        stages_.push_back(&stage);
  }

  Status arrived(const TaskAttempt& id, JobSession& session,
                 JobOutput& output) {
    arrived_.emplace(std::pair{id.stage, id.task}, id.attempt);
    while (at_ < stages_.size()) {
      const auto& stage = *stages_[at_];
      auto next = arrived_.find({stage.id, task_});
      if (next == arrived_.end())
        break;
      TaskAttempt attempt{stage.id, task_, next->second};
      auto taken = session.take_result(attempt, [&](std::string_view bytes) {
        return output.result(attempt, bytes);
      });
      if (!taken)
        return taken;
      arrived_.erase(next);
      if (++task_ == stage.tasks) {
        ++at_;
        task_ = 0;
      }
    }
    return {};
  }

private:
  std::vector<const StageSpec*> stages_;
  std::size_t at_ = 0;
  int task_ = 0;
  std::map<std::pair<StageId, int>, int> arrived_;
};

/// Follows a job to its end.
class JobRun {
public:
  JobRun(JobSession& session, std::shared_ptr<const JobWork> work,
         const StopSignal& stop, JobOutput& output)
      : session_(session), work_(std::move(work)), stop_(stop), output_(output),
        results_(*work_) {
  }

  JobEnded run() {
    session_.submit(work_);
    while (!end_) {
      if (stop_.wait_for(std::chrono::milliseconds{0})) {
        interrupted_ = true;
        return JobEnded{work_->job().id, JobOutcome::cancelled, "", "", {}};
      }
      for (const auto& x : session_.take(news_awaited_for)) {
        output_.news(x);
        std::visit([this](const auto& y) { note(y); }, x);
        if (end_)
          break;
      }
      output_.progress(session_.progress(), session_.executors());
    }
    return *end_;
  }

  [[nodiscard]] bool interrupted() const noexcept {
    return interrupted_;
  }

  /// Why the application is dead, if it is.
  [[nodiscard]] const std::optional<ApplicationDead>& dead() const noexcept {
    return dead_;
  }

private:
  void note(const JobEnded& x) {
    end_ = x;
  }
  void note(const ResultArrived& x) {
    if (auto written = results_.arrived(x.id, session_, output_); !written)
      fail(written.error().message);
  }
  void note(const ApplicationNews& x) {
    if (const auto* dead = std::get_if<ApplicationDead>(&x)) {
      dead_ = *dead;
      fail(dead->message);
    }
  }
  template <class Other>
  void note(const Other&) {
  }

  void fail(const std::string& why) {
    end_ = JobEnded{work_->job().id, JobOutcome::failed, why, "", {}};
  }

  JobSession& session_;
  std::shared_ptr<const JobWork> work_;
  const StopSignal& stop_;
  JobOutput& output_;
  OrderedResults results_;
  std::optional<JobEnded> end_;
  std::optional<ApplicationDead> dead_;
  bool interrupted_ = false;
};

int run(CLI::App& app, const JobCommandOptions& options) {
  auto file = file_of(options);
  auto settings = settings_of(app, options, file);
  std::error_code error;
  auto here = std::filesystem::current_path(error);
  if (error)
    throw CommandError{exit_failure, "the current directory cannot be used: "
                                         + error.message()};
  auto plan = plan_job(file, here,
                       {settings.task_cores, settings.task_failures_max,
                        settings.stage_attempts_max});
  require_ok(exit_usage, plan);
  require_ok(exit_usage, may_run(settings.jobs, plan->job()));
  require_ok(exit_usage, may_begin_together(plan->job(), settings));
  check_cores(plan->job(), settings.application);
  if (!settings.allocation.enabled)
    limit_executors(plan->job(), settings.application);
  // It would hold what another one waits for, and wait for what that one holds.
  auto& gang = settings.application.gang;
  if (auto at_once = executors_at_once(
          plan->job(), *settings.application.cores_per_executor);
      at_once > 1 && !settings.allocation.enabled)
    gang = std::max(gang.value_or(1), at_once);
  auto masters = master_addresses(options.access.master);
  auto output_options = options.output;
  output_options.masters = masters;
  StopSignal stop;
  auto config = session_config(settings, options.access, masters);
  auto work
      = std::make_shared<const PlannedWork>(*std::move(plan), settings.pool);
  if (!options.log.file.empty())
    config.log = std::make_shared<TaskLogWriter>(options.log.file, config.jobs,
                                                 options.log.limits());
  auto network = open_network(options.access.network, Role::operator_);
  OutputDirectories directories{*work};
  require_ok(exit_failure, directories.create());
  OutputFile out{STDOUT_FILENO};
  OutputFile err{STDERR_FILENO};
  JobOutput output{output_options, work->job(), out, err};
  JobEnded end;
  std::optional<ApplicationDead> dead;
  auto interrupted = false;
  {
    auto session
        = JobSession::start(*network,
                            network_connector(*network, std::move(masters),
                                              options.access.patience),
                            std::move(config));
    require_ok(exit_failure, session);
    JobRun job{**session, work, stop, output};
    end = job.run();
    dead = job.dead();
    interrupted = job.interrupted();
    if (interrupted)
      (*session)->interrupt();
    else if (end.outcome == JobOutcome::failed)
      (*session)->fail(end.why);
    output.finish(end, (*session)->progress());
  }
  if (end.outcome == JobOutcome::succeeded) {
    require_ok(exit_failure, directories.complete());
    require_written(out);
    return 0;
  }
  directories.remove();
  if (interrupted)
    return exit_interrupted;
  require_written(out);
  throw CommandError{dead && dead->reason == EndReason::master_lost
                         ? exit_no_master
                         : end.exit_status.value_or(exit_failure),
                     end.why};
}

/// What a job file says itself.
std::vector<OptionExclusion> job_exclusions() {
  // A shell has made words of a pattern that was not quoted, and all but the first are FILE.
  std::vector<OptionExclusion> result{
      {"--input",
       "FILE",
       "a job file says itself what is read; quote a pattern, as --input "
       "'*.txt'",
       {}}};
  for (const auto* option : {"--map", "--partitions", "--reduce", "--output"})
    result.push_back({option,
                      "FILE",
                      "a job file says that itself; a file to read is named "
                      "with --input",
                      {}});
  return result;
}

} // namespace

void add_job_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<JobCommandOptions>();
  auto* command = app.add_subcommand(
      "job", "Run stages of tasks on the cluster, and wait for their results");
  command->footer(
      "A job file says what each stage reads, runs and writes; docs/jobs.md, "
      "which is\ninstalled in share/doc/stoker, has all of it. For the common "
      "case there are options\ninstead.\n\n"
      "Examples:\n"
      "  stoker job words.json\n"
      "  stoker job --input 'texts/*.txt' --map \"tr -cs A-Za-z '\\n'\" \\\n"
      "      --partitions 4 --reduce 'sort | uniq -c' --output counts");
  command->add_option("FILE", options->file, "The job file");
  auto& line = options->line;
  command
      ->add_option("--input", line.inputs,
                   "Files to read, cut at line ends; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command->add_option("--map", line.map,
                      "What each task does with its lines, for a shell");
  auto* partitions = command->add_option_function<int>(
      "--partitions",
      [&line](int value) {
        if (auto valid = check_partitions(value); !valid)
          throw CLI::ValidationError{valid.error().message};
        line.partitions = value;
      },
      "How many tasks reduce what was mapped (default: 1)");
  partitions->needs(
      command->add_option("--reduce", line.reduce,
                          "What each of them does with its lines, for a "
                          "shell"));
  command
      ->add_option("--output", line.output,
                   "The directory to write; it must not exist")
      ->type_name("DIR");
  command->add_flag("--wait", options->wait,
                    "Wait for a worker that is large enough, if none is");
  command->add_flag("--quiet,-q", options->output.quiet,
                    "Print only results and what fails the job");
  command->add_flag("--json", options->output.json,
                    "One JSON object a line for each event");
  add_message_log_options(*command, options->log);
  add_config_options(*command, options->config);
  options->config.own_settings = job_setting_names();
  options->access.rules.exclusions = job_exclusions();
  add_access_options(*command, options->access);
  command->callback(
      [=, &context] { context.exit_code = run(*command, *options); });
}

} // namespace stoker
