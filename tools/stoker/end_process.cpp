#include "tools/stoker/end_process.hpp"

#include <cstdlib>

#include <spdlog/spdlog.h>

#include "tools/stoker/exit_codes.hpp"

namespace stoker {

void end_process(const std::string& why) {
  spdlog::critical("[failed] {}; this process ends", why);
  spdlog::default_logger()->flush();
  std::_Exit(exit_failure);
}

} // namespace stoker
