// stoker log: what a master or a job's task scheduler did, from its message log.

#include <cstdint>
#include <iostream>
#include <string>

#include <boost/algorithm/string/join.hpp>

#include "storage/message_log_reader.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/log_text.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct ShowOptions {
  std::vector<std::string> files;
  std::string app;
  std::string worker;
  std::string driver;
  LogFilter filter;
  bool json = false;
};

template <class Format>
void show_steps(LogReader<Format> log, LogPrinter& printer,
                std::uint64_t last) {
  while (auto step = log.next()) {
    printer.print(*step);
    if (step->number >= last || !std::cout)
      return;
  }
}

void show(const std::vector<std::string>& files, const ShowOptions& options,
          LogPrinter& printer) {
  auto kind = log_kind(files.front());
  require_ok(exit_bad_data, kind);
  if (*kind == LogKind::master)
    return show_steps(MessageLogReader{files}, printer, options.filter.to);
  if (!options.app.empty() || !options.driver.empty())
    throw CommandError{exit_usage,
                       files.front()
                           + " is a task scheduler's log, which has "
                             "one application: --app and --driver "
                             "are for a master's"};
  show_steps(TaskLogReader{files}, printer, options.filter.to);
}

/// Fails where some steps were asked for, and there is none.
void require_shown(const LogPrinter& printer, const LogFilter& filter) {
  auto is_part = filter.from > 1 || filter.to < UINT64_MAX;
  if (printer.has_shown() || (filter.names.empty() && !is_part))
    return;
  auto steps = is_part ? "no step with such a number"
                       : std::string{"no step of the log"};
  if (filter.names.empty())
    throw CommandError{exit_failure, steps + " is in the log"};
  throw CommandError{exit_failure,
                     steps + " names '"
                         + boost::algorithm::join(filter.names, "' or '")
                         + '\''};
}

void run_show(const ShowOptions& options) {
  auto filter = options.filter;
  if (filter.from > filter.to)
    throw CommandError{exit_usage, "--from " + std::to_string(filter.from)
                                       + " is after --to "
                                       + std::to_string(filter.to)};
  for (const auto& name : {options.app, options.worker, options.driver})
    if (!name.empty())
      filter.names.insert(name);
  LogPrinter printer{std::cout, filter, options.json};
  try {
    // One name stands for its whole log, several for themselves.
    if (options.files.size() == 1)
      show(message_log_files(options.files.front()), options, printer);
    else
      for (const auto& file : options.files)
        show({file}, options, printer);
  } catch (const CommandError&) {
    throw;
  } catch (const std::runtime_error& e) {
    // What was shown so far stands before the error.
    std::cout << std::flush;
    throw CommandError{exit_bad_data, e.what()};
  }
  std::cout << std::flush;
  require_shown(printer, filter);
}

void add_show_command(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  auto* command = app.add_subcommand(
      "show", "Show the steps of a log: time (UTC), number, event, effects");
  command->footer(
      "FILE.1 and so on are read as well, oldest first. With several FILEs "
      "only\nthese are read, in this order.\n\n"
      "Examples:\n"
      "  stoker log show master.log\n"
      "  stoker log show master.log --app app-20261121074600-0001\n"
      "  stoker log show master.log --from 120 --to 140\n"
      "  stoker log show job.log --worker worker-20261121074600-10.0.0.1-7078\n"
      "  stoker log show master.log --json | jq .event");
  command->add_option("FILE", options->files, "The file of --log")->required();
  command->add_option("--app", options->app, "Only what names this application")
      ->type_name("APP");
  command
      ->add_option("--worker", options->worker, "Only what names this worker")
      ->type_name("WORKER");
  command->add_option("--driver", options->driver,
                      "Only what names this driver");
  add_number_option(*command, "--from", options->filter.from, 1,
                    "The number of the first step to show");
  add_number_option(*command, "--to", options->filter.to, 1,
                    "The number of the last step to show");
  command->add_flag("--json", options->json, "One line of JSON for each step");
  command->callback([=] { run_show(*options); });
}

} // namespace

void add_log_command(CLI::App& app, CommandContext&) {
  auto* command = app.add_subcommand(
      "log", "Show what a master or a job did, from its message log");
  command->footer(
      "A master writes a message log with --log, and so does 'stoker job'.\n"
      "What executors and drivers write is shown by 'stoker logs'.");
  command->require_subcommand(1);
  add_show_command(*command);
}

} // namespace stoker
