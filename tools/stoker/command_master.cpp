// stoker master: the master alone.

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>

#include <caf/send.hpp>
#include <spdlog/spdlog.h>

#include "actors/feed.hpp"
#include "actors/master.hpp"
#include "actors/master_storage.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/machine.hpp"
#include "embedding/stop_signal.hpp"
#include "network/free_port.hpp"
#include "process/open_files.hpp"
#include "storage/sqlite_journal.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/end_process.hpp"
#include "tools/stoker/fronts.hpp"
#include "tools/stoker/master_options.hpp"

namespace stoker {

namespace {

void run_master(CLI::App& app, MasterOptions& options) {
  ClusterConfig config;
  // Changes `options`, too.
  auto settings = load_settings(app, options.config);
  options.program_log.apply(spdlog::level::info);
  MasterStorage storage;
  storage.directory = options.data;
  storage.keeps_history = true;
  require_ok(exit_usage,
             apply_settings(settings, config, storage, options.web.settings));
  require_ok(exit_usage, validate(config));
  auto address = options.address();
  config.master_url = MasterOptions::url(address);
  config.seed = options.seed_or_random();
  options.load_tenants(config);
  auto reloads = !options.tenants.empty() || options.network.tls.enabled();
  StopSignal stop{reloads ? StopSignal::Hangup::reloads
                          : StopSignal::Hangup::stops};
  auto has_feed = options.spark.needs_feed() || options.web.has_pages()
                  || storage.keeps_history;
  config.durable = storage.durable() || has_feed;
  process::raise_open_files_limit();
  auto network = open_network(options.network, Role::node);
  options.check(*network);
  warn_if_insecure(options.network);
  // Makes the directory, so after all that a wrong configuration ends with. Without a store
  // there would be nothing to take over.
  if (auto status = validate(storage);
      !(status.code() == Errc::in_use && storage.durable()))
    require_ok(exit_failure, status);
  // Before it leads, and before what another master wrote at the same place is moved.
  require_ok(exit_failure, wait_for_port(address.host, address.port));
  MasterServices services{
      options.open_log(config), options.tenants_loader(), {}, {}};
  // A standby, or a service manager, does better than to wait.
  services.store_hangs = end_process;
  services.store_timeout
      = std::max<Duration>(storage.leader_timeout - std::chrono::seconds{2},
                           std::chrono::seconds{1});
  services.network = network.get();
  start_storage(network->system(), storage, services);
  FeedActor feed;
  if (has_feed)
    feed = network->system().spawn(stoker::feed,
                                   std::size_t{ChangeFeed::default_limit});
  services.feed = feed;
  start_history(network->system(), storage, services);
  start_files(network->system(), storage, services);
  auto metrics = std::make_shared<MasterMetrics>(
      storage.durable() ? journal_file(storage.directory) : std::string{});
  services.metrics = metrics;
  network->on_refusal([metrics] { metrics->refusal("connection"); });
  auto actor = network->system().spawn(master, config, std::move(services));
  on_failure(network->system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
             "the master", end_process);
  auto bound = network->publish(actor, address.host, address.port);
  if (!bound)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  require_ok(exit_failure, bound);
  Fronts fronts{options,
                {network.get(), actor, feed, config.master_url, metrics}};
  try {
    fronts.open();
  } catch (const CommandError&) {
    // The network waits for its actors.
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    throw;
  }
  while (fronts.wait(stop) == SIGHUP && reloads) {
    static_cast<void>(network->read_credentials_again());
    if (!options.tenants.empty())
      caf::anon_send(actor, RequestReload{});
  }
  spdlog::info(
      "[stopping] stopping; workers keep what they run and look for a master");
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

} // namespace

void add_master_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<MasterOptions>();
  options->data = default_state_directory();
  auto* command = app.add_subcommand("master", "Run a master");
  command->footer(
      "Examples:\n"
      "  stoker master\n"
      "  stoker master --host 10.0.0.1 --tls-cert m.pem --tls-key m-key.pem "
      "--tls-ca ca.pem\n"
      "  stoker master --conf spark.worker.timeout=30s --log master.log");
  add_master_options(*command, *options);
  command->callback([=] { run_master(*command, *options); });
}

} // namespace stoker
