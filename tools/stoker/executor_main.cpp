#include "tools/stoker/executor_main.hpp"

#include "embedding/executor_process.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/notice.hpp"
#include "tools/stoker/program_log.hpp"

namespace stoker {

int executor_main() {
  log_to_standard_error();
  auto ended = run_executor(process_environment());
  if (ended)
    return 0;
  print_notice(ended.error().message);
  return exit_failure;
}

} // namespace stoker
