#include "tools/stoker/command_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "process/private_directory.hpp"
#include "storage/data_directory.hpp"

namespace stoker {

namespace {

/// Fails with `Errc::in_use` when another cluster has the directory.
Result<CommandDirectory> take(const std::string& path) {
  auto failed = [&](int error) {
    return Error{error == EWOULDBLOCK ? Errc::in_use : Errc::io,
                 "cannot use the data directory " + path + ": "
                     + std::strerror(error) + "; choose another with --data"};
  };
  if (auto error = process::make_private_directories(path); error != 0)
    return failed(error);
  // Of two commands that begin at once only one may look at the master's lock.
  process::UniqueFd lock{::open((path + "/command-lock").c_str(),
                                O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                0600)};
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return failed(errno);
  if (auto opened = DataDirectory::open(path); !opened)
    return std::move(opened).error();
  return CommandDirectory{path, std::move(lock)};
}

} // namespace

Result<CommandDirectory>
choose_command_directory(const std::string& preferred) {
  auto result = take(preferred);
  for (int i = 2; result.code() == Errc::in_use; ++i)
    result = take(preferred + "/local-" + std::to_string(i));
  return result;
}

} // namespace stoker
