#include "network/atomic_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "process/unique_fd.hpp"

namespace stoker {

namespace {

Error problem(const char* what, const std::string& path, int error) {
  return {Errc::io, std::string{"cannot "} + what + ' ' + path + ": "
                        + std::strerror(error)};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

} // namespace

NewFiles::~NewFiles() {
  for (const auto& x : files_)
    ::unlink(x.temporary.c_str());
}

Status NewFiles::prepare(const std::string& path, const std::string& contents,
                         mode_t mode) {
  auto slash = path.rfind('/');
  auto name_at = slash == std::string::npos ? 0 : slash + 1;
  auto temporary
      = path.substr(0, name_at) + '.' + path.substr(name_at) + ".XXXXXX";
  // Exclusively, and with mode 0600.
  process::UniqueFd fd{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!fd)
    return problem("write", path, errno);
  files_.push_back({path, temporary});
  if (!write_all(fd.get(), contents) || ::fchmod(fd.get(), mode) != 0
      || ::fsync(fd.get()) != 0)
    return problem("write", path, errno);
  return {};
}

Status NewFiles::publish() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto& path = files_[i].path;
    // Unlike rename(2), this fails when the name is taken.
    if (::link(files_[i].temporary.c_str(), path.c_str()) == 0)
      continue;
    auto error = errno;
    while (i-- > 0)
      ::unlink(files_[i].path.c_str());
    if (error == EEXIST)
      return Error{Errc::io, path + " exists already; nothing was written"};
    return problem("write", path, error);
  }
  return {};
}

} // namespace stoker
