#include "executor/file_writing.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace stoker::executor {

Error cannot_write(const std::string& name, int error) {
  auto is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return {is_full ? Errc::full : Errc::io,
          "cannot write " + name + ": " + std::strerror(error)};
}

process::UniqueFd open_unnamed_file(const std::string& directory) {
  process::UniqueFd result{
      ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  // Not every file system can make one at once.
  if (result || (errno != EOPNOTSUPP && errno != EISDIR))
    return result;
  auto name = directory + "/.unnamed-XXXXXX";
  result = process::UniqueFd{::mkostemp(name.data(), O_CLOEXEC)};
  if (result)
    ::unlink(name.c_str());
  return result;
}

Status write_to_file(int file, std::string_view bytes,
                     const std::string& name) {
  while (!bytes.empty()) {
    auto n = ::write(file, bytes.data(), bytes.size());
    if (n > 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return cannot_write(name, n == 0 ? ENOSPC : errno);
  }
  return {};
}

} // namespace stoker::executor
