#include "jobs/executor_main.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "embedding/executor_process.hpp"
#include "jobs/operators.hpp"
#include "jobs/stage_function.hpp"
#include "jobs/stage_program.hpp"

namespace stoker::jobs {

namespace {

int failed(const Error& why) {
  std::fprintf(stderr, "executor: %s\n", why.message.c_str());
  return EXIT_FAILURE;
}

} // namespace

std::optional<int> executor_main(int, char**) {
  // Standard output is for what the program and its functions print. A program that
  // has a logger of its own keeps it, and all names are left to it.
  if (spdlog::default_logger()->name().empty())
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  auto environment = process_environment();
  if (!is_executor(environment))
    return std::nullopt;
  std::signal(SIGPIPE, SIG_IGN);
  if (auto unique = operators().check(); !unique)
    return failed(unique.error());
  executor::TaskFunctions functions;
  if (auto added = functions.add(stage_function_name, &run_stage); !added)
    return failed(added.error());
  auto ended = run_executor(environment, functions);
  return ended ? EXIT_SUCCESS : failed(ended.error());
}

} // namespace stoker::jobs
