// The `stoker` command line.

#include <cstring>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "process/supervise.hpp"
#include "tools/stoker/command_line.hpp"

int main(int argc, char** argv) {
  // Before all else: a supervisor must stay small. Not for people.
  if (argc > 1 && std::strcmp(argv[1], "supervise") == 0)
    return stoker::process::supervise_main();
  auto logger = spdlog::stderr_color_mt("stoker");
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
  spdlog::set_level(spdlog::level::info);
  return stoker::run_command_line(argc, argv, STOKER_VERSION);
}
