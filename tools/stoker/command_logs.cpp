// stoker logs: what an executor or driver writes.

#include <algorithm>
#include <iostream>
#include <thread>

#include "messages/json.hpp"
#include "tools/stoker/commands.hpp"
#include "tools/stoker/entity_id.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

struct LogsOptions {
  AccessOptions access;
  std::string id;
  bool standard_error = false;
  bool follow = false;
  bool json = false;
};

constexpr std::chrono::milliseconds follow_pause{200};

/// Whether an executor or driver will write nothing more.
class EndWatch {
public:
  EndWatch(Access& access, const RequestLog& request)
      : access_(access), request_(request) {
  }

  bool has_ended() {
    if (request_.driver) {
      auto status = access_.ask<DriverStatusResponse>(
          RequestDriverStatus{*request_.driver});
      return !status.found || is_finished(status.state.value())
             || status.state == DriverState::RELAUNCHING;
    }
    auto state = access_.ask<MasterStateResponse>(RequestMasterState{});
    const auto& id = *request_.executor;
    for (const auto& app : state.active_apps)
      if (app.id == id.app_id)
        for (const auto& x : app.executors)
          if (x.exec_id == id.exec_id)
            return is_finished(x.state);
    return true;
  }

private:
  Access& access_;
  const RequestLog& request_;
};

RequestLog request_of(const LogsOptions& options) {
  RequestLog request;
  request.standard_error = options.standard_error;
  request.limit = 256 * 1024;
  auto id = parse_entity_id(options.id);
  if (id && std::holds_alternative<ExecutorId>(*id))
    request.executor = std::get<ExecutorId>(*id);
  else if (id && std::holds_alternative<DriverId>(*id))
    request.driver = std::get<DriverId>(*id);
  else
    throw CommandError{exit_usage, "'" + options.id
                                       + "' is not the id of an executor "
                                         "(app-.../0) or a driver; 'stoker "
                                         "status' shows them"};
  return request;
}

void print(const LogsOptions& options, const LogResponse& x) {
  if (options.json)
    std::cout << to_json(x) << std::endl;
  else
    std::cout << x.data << std::flush;
}

/// While something waits for a worker it has written nothing.
LogResponse ask_for_part(Access& access, const RequestLog& request,
                         bool may_come_later) {
  auto result = access.try_ask<LogResponse>(request);
  if (result)
    return *std::move(result);
  if (may_come_later && result.code() == Errc::not_running)
    return LogResponse{{}, request.offset, request.offset};
  throw CommandError{result.error()};
}

void run_logs(const LogsOptions& options) {
  auto request = request_of(options);
  Access access{options.access};
  EndWatch watch{access, request};
  while (true) {
    // Asked before the output is: so nothing is written between the two.
    auto ended = !options.follow || watch.has_ended();
    auto part = ask_for_part(access, request, options.follow && !ended);
    if (!part.data.empty())
      print(options, part);
    request.offset = part.offset + static_cast<std::int64_t>(part.data.size());
    if (!std::cout)
      return;
    if (request.offset < part.end)
      continue;
    if (ended)
      return;
    std::this_thread::sleep_for(follow_pause);
  }
}

} // namespace

void add_logs_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<LogsOptions>();
  auto* command = app.add_subcommand(
      "logs", "Print what an executor or driver has written");
  command->footer(
      "Examples:\n"
      "  stoker logs app-20261121074600-0001/0\n"
      "  stoker logs driver-20261121074600-0001 --follow\n"
      "  stoker logs driver-20261121074600-0001 --stderr\n\n"
      "What the master did is in its message log: see 'stoker log'.");
  command->add_option("ID", options->id, "As 'stoker status' shows it")
      ->required();
  command->add_flag("--follow,-f", options->follow,
                    "Go on until it ends, or Ctrl-C");
  command->add_flag("--stderr", options->standard_error,
                    "Standard error instead of standard output");
  command->add_flag("--json", options->json,
                    "Parts with their offsets, one JSON object a line");
  add_access_options(*command, options->access);
  command->callback([=] { run_logs(*options); });
}

} // namespace stoker
