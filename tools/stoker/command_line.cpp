#include "tools/stoker/command_line.hpp"

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/command_parser.hpp"
#include "tools/stoker/commands.hpp"

namespace stoker {

namespace {

int run(int argc, char** argv, const char* version) {
  CommandContext context;
  CLI::App app{"Stoker shares machines between applications, and places and "
               "supervises what they run."};
  app.name("stoker");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string{"stoker "} + version);
  add_help_of_all(app);
  app.footer("Begin with:\n"
             "  stoker local                       in one terminal\n"
             "  stoker run -n 4 -- hostname        in another\n\n"
             "Exit codes: 0 done, 1 failed, 2 wrong usage, 65 damaged file,\n"
             "69 no master found, 124 not in time, "
             "130 interrupted; 'run' and 'local -- COMMAND' end with the "
             "command's own.");
  add_barrier_command(app, context);
  // A task calls it again and again: it need not know the others.
  if (argc > 1 && std::string_view{argv[1]} == "barrier")
    return parse_command(app, context, argc, argv);
  add_local_command(app, context);
  add_master_command(app, context);
  add_worker_command(app, context);
  add_run_command(app, context);
  add_job_command(app, context);
  add_submit_command(app, context);
  add_status_command(app, context);
  add_top_command(app, context);
  add_wait_command(app, context);
  add_notify_command(app, context);
  add_queues_command(app, context);
  add_history_command(app, context);
  add_explain_command(app, context);
  add_plan_command(app, context);
  add_kill_command(app, context);
  add_logs_command(app, context);
  add_decommission_command(app, context);
  add_web_command(app, context);
  add_reload_command(app, context);
  add_tenants_command(app, context);
  add_data_command(app, context);
  add_log_command(app, context);
  add_replay_command(app, context);
  add_certs_command(app, context);
  add_revoke_command(app, context);
  add_spark_command(app, context);
  add_completion_command(app, context);
  add_man_command(app, context);
  return parse_command(app, context, argc, argv);
}

} // namespace

int run_command_line(int argc, char** argv, const char* version) {
  return run_with_output([&] { return run(argc, argv, version); });
}

} // namespace stoker
