#pragma once

#include <CLI/CLI.hpp>

namespace stoker {

struct CommandContext;

// The commands of `stoker`, one a file: each adds itself to `app`, with its
// options and its help, and sets the exit code in `context` when it runs.

void add_local_command(CLI::App& app, CommandContext& context);
void add_master_command(CLI::App& app, CommandContext& context);
void add_worker_command(CLI::App& app, CommandContext& context);
void add_run_command(CLI::App& app, CommandContext& context);
void add_job_command(CLI::App& app, CommandContext& context);
void add_submit_command(CLI::App& app, CommandContext& context);
void add_status_command(CLI::App& app, CommandContext& context);
void add_top_command(CLI::App& app, CommandContext& context);
void add_wait_command(CLI::App& app, CommandContext& context);
void add_notify_command(CLI::App& app, CommandContext& context);
void add_kill_command(CLI::App& app, CommandContext& context);
void add_logs_command(CLI::App& app, CommandContext& context);
void add_decommission_command(CLI::App& app, CommandContext& context);
void add_queues_command(CLI::App& app, CommandContext& context);
void add_history_command(CLI::App& app, CommandContext& context);
void add_explain_command(CLI::App& app, CommandContext& context);
void add_plan_command(CLI::App& app, CommandContext& context);
void add_web_command(CLI::App& app, CommandContext& context);
void add_reload_command(CLI::App& app, CommandContext& context);
void add_tenants_command(CLI::App& app, CommandContext& context);
void add_data_command(CLI::App& app, CommandContext& context);
void add_log_command(CLI::App& app, CommandContext& context);
void add_replay_command(CLI::App& app, CommandContext& context);
void add_barrier_command(CLI::App& app, CommandContext& context);
void add_certs_command(CLI::App& app, CommandContext& context);
void add_revoke_command(CLI::App& app, CommandContext& context);
void add_spark_command(CLI::App& app, CommandContext& context);
void add_completion_command(CLI::App& app, CommandContext& context);
void add_man_command(CLI::App& app, CommandContext& context);

} // namespace stoker
