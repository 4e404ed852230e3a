// stoker history: what has ended, and what was used.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/algorithm/string/join.hpp>

#include "messages/history.hpp"
#include "storage/history_words.hpp"
#include "storage/monthly_use.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/history_question.hpp"
#include "tools/stoker/history_text.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct HistoryOptions {
  AccessOptions access;
  HistoryFilter filter;
  int limit = 100;
  bool monthly = false;
  bool by_user = false;
  bool json = false;
  bool csv = false;
};

/// A variable that is not set in a script must not ask for everybody's.
const CLI::Validator not_empty{
    [](std::string& text) { return text.empty() ? "it is empty" : ""; }, ""};

/// Says what there is, for help and completion; what is none of it is told later, with the
/// kinds that are asked for.
CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[](std::string&) { return std::string{}; },
          '{' + boost::algorithm::join(names, ",") + '}'};
}

/// As many as are wanted, in as many answers as that takes.
HistoryResponse ask_history(Access& access, RequestHistory question,
                            int limit) {
  HistoryResponse result;
  auto left = limit;
  do {
    question.rows_max = std::min(left, history_rows_max);
    auto part = access.ask<HistoryResponse>(question);
    left -= static_cast<int>(part.entries.size());
    std::move(part.entries.begin(), part.entries.end(),
              std::back_inserter(result.entries));
    result.kept_since_ms = part.kept_since_ms;
    result.next = question.after = part.next;
  } while (result.next && left > 0);
  return result;
}

void show_use(const HistoryOptions& options) {
  auto question = use_question(options.filter);
  require_ok(exit_usage, question);
  Access access{options.access};
  auto use = access.ask<UseResponse>(*question);
  auto by_user = options.by_user || question->user;
  // Machines add up themselves.
  if (!by_user && !options.json && !options.csv)
    use = by_company(use);
  if (options.json)
    print_json(std::cout, use);
  else if (options.csv)
    print_use_csv(std::cout, use);
  else
    print_use(std::cout, use, by_user);
}

void run_history(const HistoryOptions& options) {
  if (options.monthly)
    return show_use(options);
  auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  auto question = history_question(options.filter, now);
  require_ok(exit_usage, question);
  Access access{options.access};
  auto history = ask_history(access, *question, options.limit);
  if (!options.filter.id.empty() && history.entries.empty()) {
    auto is_there = !ask_history(access, question_about_id(options.filter), 1)
                         .entries.empty();
    throw CommandError{exit_failure, missing_text(options.filter, is_there)};
  }
  if (options.json)
    print_json(std::cout, history);
  else if (options.csv)
    print_history_csv(std::cout, history);
  else
    print_history(std::cout, history, question->since_ms);
}

} // namespace

void add_history_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<HistoryOptions>();
  auto* command = app.add_subcommand(
      "history", "Show what has ended, what it used, and monthly use");
  command->footer(
      "Examples:\n"
      "  stoker history --since 2h\n"
      "  stoker history app-20261121074600-0001\n"
      "  stoker history --kind executors --state failed --user ann\n"
      "  stoker history --since 2026-11-01T00:00Z --until 2026-12-01T00:00Z "
      "--limit 100000 --csv > november.csv\n"
      "  stoker history --monthly --since 2026-01\n"
      "  stoker history --monthly --by-user --company atlas\n\n"
      "Times are local, also in the table; with a Z at the end they are of "
      "UTC. "
      "Months are\nalways those of UTC.");
  auto* id
      = command
            ->add_option("ID", options->filter.id,
                         "An application with its executors and stages, an "
                         "executor, or a driver")
            ->check(not_empty);
  command
      ->add_option("--kind", options->filter.kinds,
                   "applications, drivers, executors, stages or all (default: "
                   "applications and drivers; of an application, all)")
      ->check(word_of(history_kind_names()))
      ->delimiter(',')
      ->configurable(false);
  auto add
      = [&](const char* name, std::string& target, const char* description) {
          return command->add_option(name, target, description)
              ->check(not_empty)
              ->configurable(false);
        };
  add("--user", options->filter.user, "Only of this user");
  add("--company", options->filter.company, "Only of this company");
  add("--name", options->filter.name, "Only of this name");
  add("--state", options->filter.state,
      "Only what ended so, as failed or finished")
      ->check(one_of(history_state_names({})));
  add("--since", options->filter.since,
      "What ended then or later: a local time, as '2026-11-26 14:30', one of "
      "UTC, as 2026-11-26T14:30Z, or how long ago, as 2h")
      ->type_name("TIME");
  add("--until", options->filter.until, "What ended before")->type_name("TIME");
  auto* limit
      = command->add_option("--limit", options->limit, "So many, the last ones")
            ->check(CLI::Range(1, 1'000'000'000))
            ->capture_default_str();
  auto* monthly = command->add_flag(
      "--monthly", options->monthly,
      "What each company has held and used in each month (UTC), also what "
      "still runs; --since and --until are then months, as 2026-11; with "
      "--json and --csv each user by itself");
  monthly->configurable(false);
  monthly->excludes(id);
  monthly->excludes(limit);
  command
      ->add_flag("--by-user", options->by_user,
                 "With --monthly: each user by itself")
      ->needs(monthly);
  auto* json = command->add_flag("--json", options->json,
                                 "As one line of JSON for machines");
  command
      ->add_flag("--csv", options->csv,
                 "As comma-separated values, with times in milliseconds since "
                 "1970")
      ->excludes(json);
  add_access_options(*command, options->access);
  command->callback([=] { run_history(*options); });
}

} // namespace stoker
