// stoker replay: steps a message log again.

#include <unistd.h>

#include <chrono>
#include <iostream>

#include "embedding/stop_signal.hpp"
#include "messages/printable.hpp"
#include "scheduling/common/entity_id.hpp"
#include "scheduling/jobs/jobs_snapshot.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "scheduling/planning/waiting.hpp"
#include "storage/replay.hpp"
#include "storage/task_replay.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/jobs_snapshot_text.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/planning_text.hpp"
#include "tools/stoker/queues_text.hpp"
#include "tools/stoker/status_text.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

struct ReplayCommand {
  std::string file;
  std::optional<std::uint64_t> until;
  std::string explained;
  bool queues = false;
  bool status = false;
  bool json = false;
};

/// Says on a terminal now and then how far a long log has been replayed, and
/// looks for Ctrl-C.
class Progress {
public:
  template <class Step>
  bool before(const Step& step) {
    constexpr std::uint64_t seldom = 1024;
    if (step.number % seldom != 0)
      return true;
    interrupted = stop_.wait_for(std::chrono::milliseconds{0}).has_value();
    auto now = std::chrono::steady_clock::now();
    if (isatty(STDERR_FILENO) == 1 && now > told_ + std::chrono::seconds{1}) {
      told_ = now;
      print_notice("at step " + std::to_string(step.number) + ", "
                   + utc_time(step.at));
    }
    return !interrupted;
  }

  bool interrupted = false;

private:
  StopSignal stop_;
  std::chrono::steady_clock::time_point told_
      = std::chrono::steady_clock::now();
};

template <class Answer, class Print>
void show(const ReplayCommand& options, const Answer& answer, Print print) {
  if (options.json)
    print_json(std::cout, answer);
  else
    print(std::cout, answer);
}

/// Answers what was asked about the cluster as it was then.
void answer(const ReplayCommand& options, const Cluster& cluster) {
  if (options.status)
    show(options, snapshot(cluster.state()), [&](auto& out, const auto& x) {
      StatusView view;
      view.now_ms = to_ms(cluster.now());
      print_status(out, x, view);
    });
  if (options.queues)
    show(options, queues(cluster.state(), cluster.now()), print_queues);
  if (options.explained.empty())
    return;
  auto id = parse_entity_id(options.explained);
  const auto* driver = id ? std::get_if<DriverId>(&*id) : nullptr;
  auto explanation = driver != nullptr ? explain(cluster.state(), *driver)
                                       : explain(cluster, cluster.now(),
                                                 AppId{options.explained});
  if (!explanation.found)
    throw CommandError{
        exit_failure,
        std::string{"no "} + (driver != nullptr ? "driver" : "application")
            + " '" + options.explained
            + "' was known then (see 'stoker log show " + options.file + "')"};
  show(options, explanation, print_explanation);
}

/// The same of a task scheduler's jobs.
void answer(const ReplayCommand& options, const JobScheduler& scheduler) {
  if (options.status || options.until)
    show(options, snapshot(scheduler.state()), print_jobs_snapshot);
}

/// Says why there is no answer. Returns false where there is one.
template <class Replayed>
bool is_cut_short(const ReplayCommand& options, const Replayed& replay,
                  const Progress& progress, CommandContext& context) {
  if (replay.difference) {
    const auto& x = *replay.difference;
    std::cout << "Step " << x.step << ", " << utc_time(x.at)
              << " UTC, differs: " << printable(x.event)
              << "\n  then: " << printable(x.then)
              << "\n  now:  " << printable(x.now) << std::endl;
    context.exit_code = exit_failure;
    return true;
  }
  if (progress.interrupted) {
    print_notice("stopped after step " + std::to_string(replay.steps)
                 + "; no difference until there");
    context.exit_code = exit_interrupted;
    return true;
  }
  if (options.until && replay.steps < *options.until)
    throw CommandError{exit_failure,
                       "the log has only " + std::to_string(replay.steps)
                           + " steps, not " + std::to_string(*options.until)};
  return false;
}

void print_same_effects(std::uint64_t steps) {
  std::cout << steps << (steps == 1 ? " step" : " steps")
            << ", all with the same effects as then." << std::endl;
}

void replay_master(const ReplayCommand& options, CommandContext& context) {
  Progress progress;
  auto replay = replay_file(
      options.file,
      {options.until, [&](const LoggedStep& x) { return progress.before(x); }});
  require_ok(exit_bad_data, replay);
  if (is_cut_short(options, *replay, progress, context))
    return;
  answer(options, replay->cluster);
  if (!options.status && !options.queues && options.explained.empty())
    print_same_effects(replay->steps);
}

void replay_tasks(const ReplayCommand& options, CommandContext& context) {
  if (options.queues || !options.explained.empty())
    throw CommandError{exit_usage,
                       options.file
                           + " is a task scheduler's log: --queues and "
                             "--explain are for a master's, --status for both"};
  Progress progress;
  auto replay = replay_task_log_file(
      options.file, {options.until, [&](const LoggedJobsStep& x) {
                       return progress.before(x);
                     }});
  require_ok(exit_bad_data, replay);
  if (is_cut_short(options, *replay, progress, context))
    return;
  answer(options, replay->scheduler);
  if (!options.status && !options.until)
    print_same_effects(replay->steps);
}

void run_replay(const ReplayCommand& options, CommandContext& context) {
  auto kind = log_kind(options.file);
  require_ok(exit_bad_data, kind);
  if (*kind == LogKind::master)
    replay_master(options, context);
  else
    replay_tasks(options, context);
}

} // namespace

void add_replay_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ReplayCommand>();
  auto* command = app.add_subcommand(
      "replay", "Step a message log again and compare all effects");
  command->footer(
      "Ends with 0 when all effects are the same, with 1 at the first "
      "difference,\nand with 65 when the log cannot be read.\n\n"
      "Examples:\n"
      "  stoker replay master.log\n"
      "  stoker replay master.log --until 140 --explain "
      "app-20261121074600-0001\n"
      "  stoker replay master.log --until 140 --queues\n"
      "  stoker replay job.log --until 140");
  command->add_option("FILE", options->file, "The file of --log")->required();
  add_number_option(*command, "--until", options->until, 0,
                    "Stop after the step with this number (see 'stoker log "
                    "show'); of a job's log, show how it stood then");
  command->add_option("--explain", options->explained,
                      "Explain why this application or driver waited then, or "
                      "ran where it ran");
  command->add_flag("--queues", options->queues,
                    "Show who was served then, in which order");
  command->add_flag("--status", options->status,
                    "Show workers, applications and drivers as they were then; "
                    "of a job's log, jobs, stages and executors");
  command->add_flag("--json", options->json,
                    "Answers as lines of JSON for machines");
  command->callback([=, &context] { run_replay(*options, context); });
}

} // namespace stoker
