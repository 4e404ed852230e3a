#include "storage/place_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "process/private_directory.hpp"
#include "storage/sha256.hpp"

namespace stoker {

namespace {

using process::UniqueFd;

Error place_error(const std::string& what, int error) {
  return {error == ENOSPC || error == EDQUOT ? Errc::full : Errc::io,
          what + ": " + std::strerror(error)};
}

/// Returns 0 or `errno`.
int write_all_of(int fd, std::string_view data) {
  while (!data.empty()) {
    auto n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : ENOSPC;
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

Status copy_checked(int from, int to, const CommandFile& file) {
  constexpr std::size_t piece = std::size_t{256} * 1024;
  std::string buffer(piece, '\0');
  Sha256 sum;
  std::int64_t bytes = 0;
  for (;;) {
    auto n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return Error{Errc::corrupt, std::strerror(errno)};
    if (n == 0)
      break;
    std::string_view data{buffer.data(), static_cast<std::size_t>(n)};
    sum.add(data);
    bytes += n;
    if (auto error = write_all_of(to, data); error != 0)
      return place_error("cannot write '" + file.name + "'", error);
  }
  if (bytes != file.bytes || sum.digest() != file.sha256)
    return Error{Errc::corrupt, "'" + file.name + "' is damaged"};
  // The umask may have taken from it.
  if (::fchmod(to, file.executable ? 0700 : 0600) != 0)
    return place_error("cannot write '" + file.name + "'", errno);
  return {};
}

/// What stands in the way was put there by the program itself, when it ran before.
Error in_the_way(const std::string& what, int error) {
  auto result = place_error(what, error);
  if (error == ELOOP || error == ENOTDIR || error == EEXIST)
    result.code = Errc::not_allowed;
  return result;
}

} // namespace

Result<UniqueFd> open_own_directory(const std::string& path) {
  // An earlier attempt of the program could reach the directory above, too.
  std::error_code error;
  if (std::filesystem::is_symlink(std::filesystem::path{path}.parent_path(),
                                  error))
    return in_the_way("cannot use the directory " + path, ELOOP);
  if (auto failed = process::make_private_directories(path); failed != 0)
    return place_error("cannot make the directory " + path, failed);
  UniqueFd result{
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  if (!result)
    return in_the_way("cannot use the directory " + path, errno);
  return result;
}

Status place_file(const std::string& source, const CommandFile& file,
                  int directory) {
  UniqueFd from{::open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!from)
    return Error{Errc::corrupt, "'" + file.name + "' cannot be read"};
  UniqueFd to{::openat(directory, file.name.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                       0600)};
  if (!to)
    return in_the_way("cannot create '" + file.name + "'", errno);
  auto status = copy_checked(from.get(), to.get(), file);
  if (!status)
    ::unlinkat(directory, file.name.c_str(), 0);
  return status;
}

} // namespace stoker
