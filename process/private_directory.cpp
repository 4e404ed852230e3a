#include "process/private_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace stoker::process {

int make_private_directories(const std::filesystem::path& path) {
  std::error_code error;
  auto parent = path.parent_path();
  if (path.has_relative_path() && !parent.empty()
      && !std::filesystem::exists(parent, error))
    if (auto failed = make_private_directories(parent); failed != 0)
      return failed;
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno != EEXIST)
      return errno;
    return std::filesystem::is_directory(path, error) ? 0 : ENOTDIR;
  }
  // The umask may take from 0700.
  return ::chmod(path.c_str(), 0700) == 0 ? 0 : errno;
}

} // namespace stoker::process
