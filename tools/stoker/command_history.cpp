// stoker history: what has ended, and what was used.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/algorithm/string/case_conv.hpp>

#include "messages/states.hpp"
#include "scheduling/common/entity_id.hpp"
#include "storage/monthly_use.hpp"
#include "storage/time_option.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/history_text.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

struct HistoryOptions {
  AccessOptions access;
  std::string id;
  std::vector<std::string> kinds;
  std::string user;
  std::string company;
  std::string name;
  std::string state;
  std::string since;
  std::string until;
  int limit = 100;
  bool monthly = false;
  bool by_user = false;
  bool json = false;
  bool csv = false;
};

const std::vector<std::string> kind_names{"applications", "drivers",
                                          "executors", "stages", "all"};

std::optional<std::string> if_given(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

Instant history_now() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

std::optional<Instant> time_of(const std::string& text, const char* option) {
  if (text.empty())
    return std::nullopt;
  auto result = parse_time(text, history_now());
  if (!result)
    throw CommandError{exit_usage,
                       std::string{option} + ": '" + text
                           + "' is no time: write 2026-11-26, '2026-11-26 "
                             "14:30', or 2h for two hours ago"};
  return result;
}

std::optional<std::int64_t> ms_of(const std::string& text, const char* option) {
  auto result = time_of(text, option);
  return result ? std::optional{to_ms(*result)} : std::nullopt;
}

/// The month of a time, by this machine's clock.
std::optional<std::string> month_option(const std::string& text,
                                        const char* option) {
  if (text.size() == 7)
    return text;
  auto result = time_of(text, option);
  return result ? std::optional{time_text(to_ms(*result)).substr(0, 7)}
                : std::nullopt;
}

std::vector<HistoryKind> kinds_of(const HistoryOptions& options) {
  if (options.kinds.empty())
    return options.id.empty()
               ? std::vector{HistoryKind::application, HistoryKind::driver}
               : std::vector<HistoryKind>{};
  std::vector<HistoryKind> result;
  for (const auto& name : options.kinds) {
    if (name == "all")
      return {};
    for (auto kind : {HistoryKind::application, HistoryKind::driver,
                      HistoryKind::executor, HistoryKind::stage})
      if (name == to_string(kind) + 's')
        result.push_back(kind);
  }
  return result;
}

RequestHistory question_of(const HistoryOptions& options) {
  RequestHistory result;
  result.kinds = kinds_of(options);
  if (!options.id.empty()) {
    auto id = parse_entity_id(options.id);
    if (id && std::holds_alternative<AppId>(*id))
      result.app_id = std::get<AppId>(*id);
    else
      result.id = options.id;
  }
  result.user = if_given(options.user);
  result.company = if_given(options.company);
  result.name = if_given(options.name);
  if (!options.state.empty())
    result.state = boost::algorithm::to_upper_copy(options.state);
  result.since_ms = ms_of(options.since, "--since");
  result.until_ms = ms_of(options.until, "--until");
  return result;
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
  RequestUse question;
  question.from = month_option(options.since, "--since");
  question.to = month_option(options.until, "--until");
  question.company = if_given(options.company);
  question.user = if_given(options.user);
  Access access{options.access};
  auto use = access.ask<UseResponse>(question);
  auto by_user = options.by_user || question.user;
  if (!by_user && !options.json)
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
  auto question = question_of(options);
  Access access{options.access};
  auto history = ask_history(access, question, options.limit);
  if (!options.id.empty() && history.entries.empty())
    throw CommandError{exit_failure,
                       options.id
                           + " is not in the history: it has not ended (see "
                             "'stoker status'), or did so too long ago"};
  if (options.json)
    print_json(std::cout, history);
  else if (options.csv)
    print_history_csv(std::cout, history);
  else
    print_history(std::cout, history);
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
      "  stoker history --since 2026-11-01 --until 2026-12-01 "
      "--limit 100000 --csv > november.csv\n"
      "  stoker history --monthly --since 2026-01\n"
      "  stoker history --monthly --by-user --company atlas");
  auto* id = command->add_option(
      "ID", options->id,
      "An application with its executors and stages, an executor, or a driver");
  command
      ->add_option("--kind", options->kinds,
                   "applications, drivers, executors, stages or all (default: "
                   "applications and drivers; of an application, all)")
      ->check(CLI::IsMember(kind_names))
      ->delimiter(',');
  command->add_option("--user", options->user, "Only of this user");
  command->add_option("--company", options->company, "Only of this company");
  command->add_option("--name", options->name, "Only of this name");
  command->add_option("--state", options->state,
                      "Only what ended so, as failed or finished");
  command->add_option(
      "--since", options->since,
      "What ended then or later: a time, as '2026-11-26 14:30', "
      "or how long ago, as 2h");
  command->add_option("--until", options->until, "What ended before");
  command->add_option("--limit", options->limit, "So many, the last ones")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  auto* monthly = command->add_flag(
      "--monthly", options->monthly,
      "What each company has held and used in each month (UTC), also what "
      "still runs");
  monthly->excludes(id);
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
