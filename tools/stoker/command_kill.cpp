// stoker kill: ends an application, an executor or a driver.

#include <iostream>

#include "messages/json.hpp"
#include "scheduling/common/entity_id.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/json_output.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct KillOptions {
  AccessOptions access;
  std::vector<std::string> ids;
  bool json = false;
};

bool is_present(const MasterStateResponse& state, const ExecutorId& id) {
  for (const auto& app : state.active_apps)
    for (const auto& x : app.executors)
      if (ExecutorId{x.app_id, x.exec_id} == id && !is_finished(x.state))
        return true;
  return false;
}

struct Killer {
  Access& access;

  Status operator()(const AppId& id) const {
    auto answer
        = access.ask<KillApplicationResponse>(RequestKillApplication{id});
    return answer.success ? Status{} : Error{Errc::failed, answer.message};
  }

  Status operator()(const ExecutorId& id) const {
    // The master silently ignores an executor that it does not know.
    RequestMasterState question;
    question.workers = question.drivers = false;
    question.app_id = id.app_id;
    auto runs = is_present(access.ask_leader(question), id);
    if (runs && access.ask<bool>(KillExecutors{id.app_id, {id.exec_id}}))
      return {};
    return Error{Errc::not_running, to_string(id) + " is not running here"};
  }

  Status operator()(const DriverId& id) const {
    auto answer = access.ask<KillDriverResponse>(RequestKillDriver{id});
    return answer.success ? Status{} : Error{Errc::failed, answer.message};
  }

  Status operator()(const WorkerId& id) const {
    return invalid(to_string(id)
                   + " is a worker; take it out of service with 'stoker "
                     "decommission'");
  }
};

void run_kill(const KillOptions& options) {
  std::vector<EntityId> ids;
  for (const auto& text : options.ids) {
    auto id = parse_entity_id(text);
    if (!id)
      throw CommandError{exit_usage,
                         "'" + text
                             + "' is not an id; 'stoker status' shows them"};
    ids.push_back(*id);
  }
  Access access{options.access};
  // One that cannot be killed does not save those after it.
  Status all;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (auto killed = std::visit(Killer{access}, ids[i]); !killed) {
      if (!all)
        print_notice(all.error().message);
      all = std::move(killed);
    } else if (options.json)
      std::cout << json_line(boost::json::object{{"killed", options.ids[i]}})
                << std::flush;
    else
      std::cout << "killed " << options.ids[i] << std::endl;
  }
  require_ok(exit_failure, all);
}

} // namespace

void add_kill_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<KillOptions>();
  auto* command
      = app.add_subcommand("kill", "End applications, executors or drivers");
  command->footer("An executor that is killed is replaced, while its "
                  "application wants it.\n\n"
                  "Examples:\n"
                  "  stoker kill app-20261121074600-0001\n"
                  "  stoker kill app-20261121074600-0001/2\n"
                  "  stoker kill driver-20261121074600-0001");
  command->add_option("ID", options->ids, "As 'stoker status' shows it")
      ->required();
  command->add_flag("--json", options->json, "Answer in JSON");
  add_access_options(*command, options->access);
  command->callback([=] { run_kill(*options); });
}

} // namespace stoker
