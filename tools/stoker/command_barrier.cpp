// stoker barrier: a task of a barrier stage waits for the others.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include <boost/json.hpp>

#include "executor/barrier_request.hpp"
#include "messages/printable.hpp"
#include "tools/stoker/barrier_client.hpp"
#include "tools/stoker/command_error.hpp"
#include "tools/stoker/commands.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

struct BarrierOptions {
  std::string message;
  bool tasks = false;
  bool json = false;
};

/// Without the end of its last line, and not much more than a message may have: its
/// executor says how much that is.
std::string standard_input() {
  constexpr std::size_t enough = executor::barrier_message_max + 2;
  std::string result(enough, '\0');
  std::cin.read(result.data(), enough);
  result.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (std::ferror(stdin) != 0)
    throw CommandError{exit_failure, std::string{"cannot read standard input: "}
                                         + std::strerror(errno)};
  if (!result.empty() && result.back() == '\n')
    result.pop_back();
  return result;
}

json::object request_of(const BarrierOptions& options, bool gathers) {
  if (options.tasks)
    return {{"call", "tasks"}};
  if (!gathers)
    return {{"call", "barrier"}};
  auto text = options.message == "-" ? standard_input() : options.message;
  if (as_utf8(text) != text)
    throw CommandError{exit_usage, "--all-gather: the text is not in UTF-8"};
  return {{"call", "all_gather"}, {"message", text}};
}

void run(const BarrierOptions& options, bool gathers) {
  const auto* what = options.tasks ? "tasks" : "messages";
  auto answer
      = ask_at_barrier(json::serialize(request_of(options, gathers)), what);
  if (!answer)
    throw CommandError{answer.code() == Errc::invalid_request ? exit_usage
                                                              : exit_failure,
                       answer.error().message};
  if (options.json)
    std::cout << json::serialize(
        json::object{{what, json::value_from(*answer)}})
              << '\n';
  else if (options.tasks || gathers)
    for (const auto& line : *answer)
      std::cout << line << '\n';
  std::cout << std::flush;
}

} // namespace

void add_barrier_command(CLI::App& app, CommandContext&) {
  auto options = std::make_shared<BarrierOptions>();
  auto* command = app.add_subcommand(
      "barrier", "In a task of a barrier stage: wait for all other tasks");
  command->footer(
      "Ends when all tasks of the stage have called it, with 1 if that cannot "
      "come:\na task ended before, calls something else, or takes too long.\n\n"
      "Examples, in a program of a task:\n"
      "  stoker barrier\n"
      "  stoker barrier --all-gather \"$(hostname):4711\"\n"
      "  stoker barrier --tasks\n\n"
      "'stoker-barrier' does the same, and starts faster.");
  auto* gather = command->add_option("--all-gather", options->message,
                                     "Print what all tasks say, a line each, "
                                     "in order; -: read it from standard "
                                     "input");
  gather->type_name("TEXT");
  command
      ->add_flag("--tasks", options->tasks,
                 "Do not wait: print the host of each task, in order")
      ->excludes(gather);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([=] { run(*options, gather->count() > 0); });
}

} // namespace stoker
