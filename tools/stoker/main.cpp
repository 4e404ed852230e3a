// The `stoker` command line.

#include <cstring>

#include "process/supervise.hpp"
#include "tools/stoker/command_line.hpp"
#include "tools/stoker/executor_main.hpp"
#include "tools/stoker/program_log.hpp"

int main(int argc, char** argv) {
  // Before all else: a supervisor must stay small. Not for people.
  if (argc > 1 && std::strcmp(argv[1], "supervise") == 0)
    return stoker::process::supervise_main();
  if (argc == 2 && std::strcmp(argv[1], "executor") == 0)
    return stoker::executor_main();
  stoker::log_to_standard_error();
  return stoker::run_command_line(argc, argv, STOKER_VERSION);
}
