#include "process/directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace stoker::process {

namespace {

constexpr auto state_name = "state.json";
constexpr auto new_state_name = "state.json.new";
constexpr auto socket_name = "control.sock";

/// States are padded to a multiple of this, so that a later one fits into the
/// blocks of an earlier one.
constexpr std::size_t state_block_bytes = 4096;

/// Returns 0 or `errno`.
int write_at_start(int fd, const std::string& text) {
  errno = 0;
  auto n = ::pwrite(fd, text.data(), text.size(), 0);
  if (n == static_cast<ssize_t>(text.size()))
    return 0;
  return errno != 0 ? errno : ENOSPC;
}

/// A socket's address has room for 108 bytes only, and directories of programs
/// can be longer. A descriptor's path never is.
sockaddr_un address_in(int directory) {
  sockaddr_un result{};
  result.sun_family = AF_UNIX;
  std::snprintf(result.sun_path, sizeof result.sun_path, "/proc/self/fd/%d/%s",
                directory, socket_name);
  return result;
}

UniqueFd make_socket(int flags) {
  return UniqueFd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)};
}

} // namespace

Directory::Directory(UniqueFd fd) : fd_(std::move(fd)) {
}

std::variant<Directory, int> Directory::open(const std::string& path) {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd)
    return errno;
  return Directory{std::move(fd)};
}

bool Directory::lock() const {
  // Not every file system knows locks; only a clear answer counts.
  return ::flock(fd(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

int Directory::save(const State& state) const {
  auto text = to_json(state);
  auto blocks = text.size() / state_block_bytes + 1;
  text.resize(blocks * state_block_bytes, '\n');
  auto error = [&] {
    // A FIFO that the program has put there would block.
    ::unlinkat(this->fd(), new_state_name, 0);
    UniqueFd fd{::openat(this->fd(), new_state_name,
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         0600)};
    return fd ? write_at_start(fd.get(), text) : errno;
  }();
  if (error == 0 && ::renameat(fd(), new_state_name, fd(), state_name) == 0)
    return 0;
  ::unlinkat(fd(), new_state_name, 0);
  // The disk is full, perhaps because of what the program writes. The blocks of
  // the present state are ours already, and one small write is not torn.
  UniqueFd present{::openat(fd(), state_name,
                            O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!present)
    return error;
  return write_at_start(present.get(), text);
}

std::variant<State, int> Directory::load() const {
  // What a program has put in its place must not block.
  UniqueFd file{::openat(fd(), state_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file)
    return errno;
  std::string text(line_bytes_max, '\0');
  auto n = ::pread(file.get(), text.data(), text.size(), 0);
  if (n < 0)
    return errno;
  text.resize(static_cast<std::size_t>(n));
  auto state = parse_state(text);
  if (!state)
    return EBADMSG;
  return *std::move(state);
}

int Directory::write(const std::string& name, const std::string& text) const {
  ::unlinkat(fd(), name.c_str(), 0);
  UniqueFd file{::openat(fd(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         0600)};
  return file ? write_at_start(file.get(), text) : errno;
}

std::variant<UniqueFd, int> Directory::listen() const {
  constexpr int backlog = 128;
  remove_socket();
  auto fd = make_socket(SOCK_NONBLOCK);
  if (!fd)
    return errno;
  auto address = address_in(this->fd());
  auto mask = ::umask(0177);
  auto bound
      = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  auto error = errno;
  ::umask(mask);
  if (bound != 0)
    return error;
  if (::listen(fd.get(), backlog) != 0)
    return errno;
  return fd;
}

UniqueFd Directory::connect() const {
  // Waits only while too many others are connecting.
  constexpr timeval patience{2, 0};
  auto fd = make_socket(0);
  if (!fd)
    return {};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  auto address = address_in(this->fd());
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address)
      != 0)
    return {};
  return fd;
}

void Directory::remove_socket() const {
  ::unlinkat(fd(), socket_name, 0);
}

} // namespace stoker::process
