// stoker status: what a cluster has and does.

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <boost/algorithm/string/case_conv.hpp>

#include "scheduling/common/entity_id.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/jobs_text.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/spelling.hpp"
#include "tools/stoker/status_filter.hpp"
#include "tools/stoker/status_text.hpp"

namespace stoker {

namespace {

/// More than any master keeps.
constexpr int rows_max = 1'000'000'000;

// Without being asked for more: what fits a screen.
constexpr int usual_rows = 20;
constexpr std::size_t usual_ended = 5;

/// Of one part.
constexpr int rows_of_part = 1000;

struct StatusOptions {
  AccessOptions access;
  std::string what;
  std::string app;
  std::string user;
  std::string state;
  bool active = false;
  std::optional<int> limit;
  bool all = false;
  bool json = false;
};

/// "apps" is the short name.
std::string part_name(const std::string& what) {
  return what == "apps" ? "applications" : what;
}

/// What is asked for, and what is shown of the answer.
struct StatusQuestion {
  RequestMasterState request;
  StatusFilter filter;
  StatusView view;

  /// Nothing else than one thing, or one part, was asked for.
  bool is_part = false;

  [[nodiscard]] bool executors_alone() const {
    return view.executors && !view.applications;
  }
};

void take_part(StatusQuestion& question, const std::string& name) {
  auto& view = question.view;
  view.workers = name == "workers";
  view.applications = name == "applications";
  view.executors = name == "executors";
  view.drivers = name == "drivers";
  question.is_part = true;
}

/// One thing, by its id.
void take_id(StatusQuestion& question, const EntityId& id) {
  auto& view = question.view;
  auto& filter = question.filter;
  if (const auto* app = std::get_if<AppId>(&id)) {
    filter.app_id = *app;
    view = {false, true, true, false};
  } else if (const auto* driver = std::get_if<DriverId>(&id)) {
    filter.driver_id = *driver;
    view = {false, false, false, true};
  } else if (const auto* worker = std::get_if<WorkerId>(&id)) {
    filter.worker_id = *worker;
    view = {true, false, true, true};
  } else {
    throw CommandError{exit_usage,
                       "an executor is shown with its application: 'stoker "
                       "status "
                           + to_string(std::get<ExecutorId>(id).app_id) + "'"};
  }
  question.is_part = true;
}

std::string unknown_state(const std::string& given,
                          const std::vector<std::string>& names,
                          const std::string& of) {
  return '\'' + given + "' is not a state of " + of
         + did_you_mean(boost::algorithm::to_lower_copy(given),
                        {names.begin(), names.end()});
}

/// The id of `--app`.
AppId app_of_option(const StatusOptions& options) {
  auto id = parse_entity_id(options.app);
  if (!id || !std::holds_alternative<AppId>(*id))
    throw CommandError{exit_usage,
                       "'" + options.app
                           + "' is not the id of an application; 'stoker "
                             "status applications' shows them"};
  return std::get<AppId>(*id);
}

StatusQuestion question_of(const StatusOptions& options) {
  StatusQuestion result;
  auto& view = result.view;
  // Executors are many.
  view.executors = false;
  auto is_part = [&](const std::string& name) {
    return name == "workers" || name == "applications" || name == "executors"
           || name == "drivers";
  };
  auto what = part_name(options.what);
  if (is_part(what)) {
    take_part(result, what);
  } else if (!options.what.empty()) {
    auto id = parse_entity_id(options.what);
    if (!id)
      throw CommandError{
          exit_usage,
          "'" + options.what
              + "' is neither workers, applications, executors, "
                "drivers, jobs or stages nor an id that "
                "'stoker status' shows"
              + did_you_mean(options.what,
                             {"workers", "applications", "apps", "executors",
                              "drivers", "jobs", "stages"})};
    take_id(result, *id);
  }
  auto& filter = result.filter;
  if (!options.app.empty()) {
    auto id = app_of_option(options);
    if (options.what.empty())
      take_id(result, id);
    else if (what != "applications" && what != "executors")
      throw CommandError{
          exit_usage,
          "--app goes with applications, executors, jobs and stages"};
    filter.app_id = id;
  }
  if (!options.user.empty()) {
    filter.user = options.user;
    view.workers = view.workers && result.is_part;
  }
  if (!options.state.empty()) {
    filter.state = boost::algorithm::to_upper_copy(options.state);
    if (!is_state(*filter.state))
      throw CommandError{exit_usage,
                         unknown_state(options.state, state_names(),
                                       "a worker, an application, an executor "
                                       "or a driver")};
  }
  filter.only_active = options.active;
  if (options.all || options.json)
    view.rows_max = rows_max;
  else
    view.rows_max = static_cast<std::size_t>(
        options.limit.value_or(result.is_part ? rows_of_part : usual_rows));
  auto asks_for_ended
      = result.is_part || filter.state || options.limit || options.all;
  if (!asks_for_ended)
    view.ended_max = usual_ended;
  auto& request = result.request;
  request.workers = view.workers;
  request.drivers = view.drivers;
  request.applications = view.applications || view.executors;
  request.app_id = filter.app_id;
  if (!view.executors && !(options.json && !result.is_part))
    request.executors_max = 0;
  else if (!options.all)
    request.executors_max = options.limit.value_or(rows_of_part);
  return result;
}

std::int64_t clock_ms() {
  return to_ms(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
}

RequestJobs jobs_question_of(const StatusOptions& options) {
  RequestJobs result;
  result.jobs = options.what == "jobs";
  result.stages = !result.jobs;
  if (!options.app.empty())
    result.app_id = app_of_option(options);
  if (!options.user.empty())
    result.user = options.user;
  result.only_active = options.active;
  if (!options.state.empty()) {
    result.state = boost::algorithm::to_upper_copy(options.state);
    if (result.jobs ? !is_job_state(*result.state)
                    : !is_stage_state(*result.state))
      throw CommandError{
          exit_usage,
          result.jobs
              ? unknown_state(options.state, job_state_names(), "a job")
              : unknown_state(options.state, stage_state_names(), "a stage")};
  }
  result.rows_max
      = options.all ? rows_max : options.limit.value_or(rows_of_part);
  return result;
}

/// What the master keeps of jobs is no part of its state.
void run_jobs_status(const StatusOptions& options) {
  auto question = jobs_question_of(options);
  Access access{options.access};
  auto jobs = access.ask<JobsResponse>(question);
  if (question.app_id && !question.user && jobs.applications.empty())
    throw CommandError{exit_failure,
                       options.app
                           + " is not known here, or has said nothing of jobs "
                             "(see 'stoker status')"};
  if (options.json)
    return print_json(std::cout, jobs);
  if (question.jobs)
    print_jobs(std::cout, jobs, clock_ms());
  else
    print_stages(std::cout, jobs, clock_ms());
}

void run_status(const StatusOptions& options) {
  if (options.what == "jobs" || options.what == "stages")
    return run_jobs_status(options);
  auto question = question_of(options);
  Access access{options.access};
  const auto& wanted = question.filter;
  auto state = wanted.app_id || wanted.driver_id || wanted.worker_id
                   ? access.ask_leader(question.request)
                   : access.ask<MasterStateResponse>(question.request);
  filter(state, wanted, question.executors_alone());
  auto known = [](const auto&... lists) { return (!lists.empty() || ...); };
  if ((wanted.app_id && !known(state.active_apps, state.completed_apps))
      || (wanted.driver_id
          && !known(state.active_drivers, state.completed_drivers))
      || (wanted.worker_id && !known(state.workers)))
    throw CommandError{exit_failure,
                       (options.app.empty() ? options.what : options.app)
                           + " is not known here"};
  if (options.json)
    return print_json(std::cout, state);
  question.view.now_ms = clock_ms();
  print_status(std::cout, state, question.view);
}

} // namespace

void add_status_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<StatusOptions>();
  auto* command = app.add_subcommand(
      "status", "Show the master's state, workers, applications and drivers");
  command->footer(
      "Without more it shows what there is, and the last that ended.\n\n"
      "Examples:\n"
      "  stoker status\n"
      "  stoker status app-20261121074600-0001\n"
      "  stoker status applications --user ann --active\n"
      "  stoker status executors --state failed\n"
      "  stoker status jobs --active\n"
      "  stoker status stages --app app-20261121074600-0001\n"
      "  stoker status workers --json | jq .workers");
  command->add_option("WHAT", options->what,
                      "workers, applications (or apps), executors, drivers, "
                      "jobs, stages, or the "
                      "id of a worker, an application or a driver");
  command
      ->add_option("--app", options->app,
                   "Only this application, and its executors; or its jobs")
      ->type_name("APP")
      ->configurable(false);
  command
      ->add_option("--user", options->user,
                   "Only applications, drivers and jobs of this user")
      ->configurable(false);
  command
      ->add_option("--state", options->state,
                   "Only what is in this state, as running or failed")
      ->configurable(false);
  command->add_flag("--active", options->active, "Nothing that has ended")
      ->configurable(false);
  auto* limit
      = command
            ->add_option("--limit", options->limit,
                         "Rows of each table, what is there before what ended "
                         "(default: 20; 1000 of one kind)")
            ->check(CLI::Range(0, rows_max));
  command->add_flag("--all", options->all, "All that the master knows")
      ->excludes(limit);
  command->add_flag("--json", options->json,
                    "The same, as one line of JSON for machines");
  add_access_options(*command, options->access);
  command->callback([=] { run_status(*options); });
}

} // namespace stoker
