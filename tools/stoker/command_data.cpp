// stoker data: what a master has stored: shown, checked, copied.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "messages/printable.hpp"
#include "storage/backup.hpp"
#include "storage/check_words.hpp"
#include "storage/history_check.hpp"
#include "storage/history_store.hpp"
#include "storage/sqlite_journal.hpp"
#include "storage/stored_view.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/stored_text.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

struct DataOptions {
  std::string directory;
  std::string backup;
  std::string table;
  bool json = false;
};

/// @throws CommandError when there is none
std::string file_of(const DataOptions& options) {
  auto file = journal_file(options.directory);
  std::error_code error;
  auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw CommandError{exit_failure,
                       "nothing is stored in " + options.directory
                           + ": there is no file " + file
                           + "; name the directory of a master (its --data)"};
  return file;
}

StoredView view_of(const std::string& file) {
  auto view = view_stored(file);
  require_ok(exit_failure, view);
  return *std::move(view);
}

void show(const DataOptions& options) {
  const auto view = view_of(file_of(options));
  if (options.json)
    std::cout << json_line(stored_to_json(view, options.table)) << std::flush;
  else
    print_stored(std::cout, view, options.table);
}

bool tells_of_damage(const std::vector<std::string>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const auto& x) {
    return x.starts_with(damage_prefix);
  });
}

void print_findings(const std::string& file,
                    const std::vector<std::string>& findings) {
  for (const auto& x : findings)
    std::cout << printable(file.empty() ? x : file + ": " + x) << '\n';
}

/// What `check` says of a history that is as it should be.
std::string history_text(const std::optional<HistoryFindings>& x) {
  return x ? std::to_string(x->entries) + " entries and "
                 + std::to_string(x->sums) + " sums by month in the history"
           : std::string{"no history"};
}

/// Returns nothing where there is no history.
Result<std::optional<HistoryFindings>>
history_findings(const std::string& file) {
  std::error_code error;
  if (std::filesystem::symlink_status(file, error).type()
      == std::filesystem::file_type::not_found)
    return std::optional<HistoryFindings>{};
  auto findings = check_history(file);
  if (!findings)
    return std::move(findings).error();
  return std::optional{*std::move(findings)};
}

/// Returns the exit code.
int check(const DataOptions& options) {
  auto file = file_of(options);
  auto findings = check_stored(file);
  auto history = history_findings(history_file(options.directory));
  // Both are told, and one of them as the error.
  if (!findings && !history)
    print_findings({}, {history.error().message});
  if (history && *history)
    print_findings("history.db", (*history)->problems);
  if (findings)
    print_findings({}, *findings);
  require_ok(exit_failure, findings);
  require_ok(exit_failure, history);
  if (tells_of_damage(*findings)
      || (*history && tells_of_damage((*history)->problems)))
    throw CommandError{exit_failure, options.directory
                                         + ": pages of a database are damaged; "
                                         + std::string{damage_advice}};
  if (!findings->empty() || (*history && !(*history)->problems.empty()))
    return exit_failure;
  const auto view = view_of(file);
  const auto& state = view.state;
  std::cout << "ok: epoch " << view.leader.epoch.value << ", "
            << state.workers.size() << " workers, " << state.applications.size()
            << " applications, " << state.executors.size() << " executors, "
            << state.drivers.size() << " drivers, " << history_text(*history)
            << std::endl;
  return 0;
}

void make_backup(const DataOptions& options) {
  file_of(options);
  auto made = back_up(options.directory, options.backup);
  require_ok(exit_failure, made);
  for (const auto& x : made->files)
    std::cout << "made " << printable(x) << '\n';
  std::cout << std::flush;
  if (made->history_problem)
    throw CommandError{exit_failure, "the history was not copied: "
                                         + made->history_problem->message};
}

void add_directory(CLI::App& command, DataOptions& options) {
  command
      .add_option("DIR", options.directory,
                  "A master's data directory (its --data)")
      ->required();
}

} // namespace

void add_data_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<DataOptions>();
  auto* data
      = app.add_subcommand("data", "Show, check and back up what is stored");
  data->require_subcommand(1);
  data->footer(
      "Examples:\n"
      "  stoker data show /var/lib/stoker/master\n"
      "  stoker data check /var/lib/stoker/master\n"
      "  stoker data backup /var/lib/stoker/master /backup/monday\n\n"
      "Nothing is ever changed, and a master may be running. What is "
      "stored, and\nhow a backup is restored: docs/storage.md, which is "
      "installed in\nshare/doc/stoker");

  auto* show_command = data->add_subcommand(
      "show", "Show who leads, and what is stored, without secrets");
  show_command->footer(
      "Examples:\n"
      "  stoker data show /var/lib/stoker/master\n"
      "  stoker data show /var/lib/stoker/master --table drivers\n"
      "  stoker data show /var/lib/stoker/master --json | jq "
      "'.applications[].id'\n\n"
      "Times are local. The values of environment variables are hidden.");
  add_directory(*show_command, *options);
  show_command
      ->add_option("--table", options->table,
                   "Only workers, applications, instances, executors, drivers "
                   "or tenants")
      ->check(word_of(stored_tables()))
      ->option_text("NAME");
  show_command->add_flag("--json", options->json,
                         "Everything, as one line of JSON for machines");
  show_command->callback([=] { show(*options); });

  auto* check_command = data->add_subcommand(
      "check", "Find what is damaged or contradicts itself");
  check_command->footer(
      "Examples:\n"
      "  stoker data check /var/lib/stoker/master\n"
      "  stoker data check backup && echo usable\n\n"
      "Reads every page and every record of stoker.db, and of history.db if "
      "there is one.\nEnds with 0 and 'ok: ...', or with 1 and a line for each "
      "finding.");
  add_directory(*check_command, *options);
  check_command->callback(
      [=, &context] { context.exit_code = check(*options); });

  auto* backup_command = data->add_subcommand(
      "backup", "Copy what is stored, while a master may be running");
  backup_command->footer(
      "Examples:\n"
      "  stoker data backup /var/lib/stoker/master /backup/monday\n"
      "  stoker data check /backup/monday\n\n"
      "Copies stoker.db, and history.db if there is one, each as after one "
      "commit. Nothing\nis overwritten. The copies are for their owner alone "
      "(0600), as they may hold secrets.");
  add_directory(*backup_command, *options);
  backup_command
      ->add_option("TO", options->backup,
                   "Where the copies are put; created if need be")
      ->required();
  backup_command->callback([=] { make_backup(*options); });
}

} // namespace stoker
