#include "tools/stoker/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/stoker/commands.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/output_file.hpp"

namespace stoker {

namespace {

int fail(int exit_code, const std::string& message) {
  print_notice(message);
  return exit_code;
}

/// "stoker run", for the hint where to read on.
std::string command_line_of(const CLI::App& app) {
  std::string result = "stoker";
  for (const auto* x : app.get_subcommands())
    result += ' ' + x->get_name();
  return result;
}

/// Prints help, or the error as one line.
int finish_parsing(const CLI::App& app, const CLI::ParseError& e) {
  if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(e);
  return fail(exit_usage,
              message_of(e) + " (see '" + command_line_of(app) + " --help')");
}

/// Whether words after `--` are a program to start, and not ours to parse.
bool takes_command(std::string_view name) {
  return name == "run" || name == "submit" || name == "local";
}

bool is_command(const CLI::App& app, const std::string& name) {
  auto has_name = [&](const CLI::App* x) { return x->check_name(name); };
  return !app.get_subcommands(has_name).empty();
}

int parse(CLI::App& app, CommandContext& context, int argc, char** argv) {
  // CLI11 would only miss a command.
  if (argc > 1 && argv[1][0] != '-' && !is_command(app, argv[1]))
    return fail(exit_usage, std::string{"'"} + argv[1]
                                + "' is not a command (see 'stoker --help')");
  auto** end = argv + argc;
  if (argc > 1 && takes_command(argv[1]))
    end = std::find_if(argv, end,
                       [](const char* x) { return std::strcmp(x, "--") == 0; });
  if (*end != nullptr)
    context.command.assign(end + 1, argv + argc);
  try {
    app.parse(static_cast<int>(end - argv), argv);
  } catch (const CLI::ParseError& e) {
    return finish_parsing(app, e);
  } catch (const CommandError& e) {
    return fail(e.exit_code(), e.what());
  }
  return context.exit_code;
}

int run(int argc, char** argv, const char* version) {
  CommandContext context;
  CLI::App app{"Stoker shares machines between applications, and places and "
               "supervises what they run."};
  app.name("stoker");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string{"stoker "} + version);
  app.set_help_all_flag("--help-all", "Print the help of all commands");
  app.footer("Begin with:\n"
             "  stoker local                       in one terminal\n"
             "  stoker run -n 4 -- hostname        in another\n\n"
             "Exit codes: 0 done, 1 failed, 2 wrong usage, 65 damaged file,\n"
             "69 no master found, "
             "130 interrupted; 'run' and 'local -- COMMAND' end with the "
             "command's own.");
  add_barrier_command(app, context);
  // A task calls it again and again: it need not know the others.
  if (argc > 1 && std::strcmp(argv[1], "barrier") == 0)
    return parse(app, context, argc, argv);
  add_local_command(app, context);
  add_master_command(app, context);
  add_worker_command(app, context);
  add_run_command(app, context);
  add_job_command(app, context);
  add_submit_command(app, context);
  add_status_command(app, context);
  add_queues_command(app, context);
  add_explain_command(app, context);
  add_plan_command(app, context);
  add_kill_command(app, context);
  add_logs_command(app, context);
  add_decommission_command(app, context);
  add_reload_command(app, context);
  add_data_command(app, context);
  add_log_command(app, context);
  add_replay_command(app, context);
  add_certs_command(app, context);
  return parse(app, context, argc, argv);
}

} // namespace

int run_command_line(int argc, char** argv, const char* version) {
  // A reader that has gone is an error like others.
  std::signal(SIGPIPE, SIG_IGN);
  OutputFile file{STDOUT_FILENO};
  OutputFileBuffer buffer{file};
  auto* usual = std::cout.rdbuf(&buffer);
  int result = exit_failure;
  try {
    result = run(argc, argv, version);
  } catch (const std::exception& e) {
    result = fail(exit_failure, e.what());
  }
  std::cout.flush();
  std::cout.rdbuf(usual);
  return file.error() == 0 ? result : fail(exit_failure, file.error_text());
}

} // namespace stoker
