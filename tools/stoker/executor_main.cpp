#include "tools/stoker/executor_main.hpp"

#include <unistd.h>

#include <csignal>
#include <map>
#include <string>

#include "embedding/executor_process.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/program_log.hpp"

namespace stoker {

int executor_main() {
  log_to_standard_error();
  std::signal(SIGPIPE, SIG_IGN);
  std::map<std::string, std::string> environment;
  for (auto** x = environ; *x != nullptr; ++x) {
    std::string text = *x;
    if (auto split = text.find('='); split != std::string::npos)
      environment[text.substr(0, split)] = text.substr(split + 1);
  }
  auto ended = run_executor(environment);
  if (ended)
    return 0;
  print_notice(ended.error().message);
  return exit_failure;
}

} // namespace stoker
