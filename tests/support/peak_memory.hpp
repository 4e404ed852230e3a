#pragma once

#include <sys/types.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace stoker::test {

/// The most memory that a process has had so far, in bytes; 0: it has ended.
inline std::size_t peak_memory(pid_t process) {
  std::ifstream in{"/proc/" + std::to_string(process) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmHWM:"))
      return std::stoull(line.substr(6)) * 1024;
  return 0;
}

} // namespace stoker::test
