#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <utility>

namespace stoker {

/// Device and inode: whether a file is still the one that was opened. Zeros if there is
/// no such file.
using FileIdentity = std::pair<dev_t, ino_t>;

inline FileIdentity file_identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return {};
  return {status.st_dev, status.st_ino};
}

} // namespace stoker
