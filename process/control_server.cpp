#include "process/control_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace stoker::process {

namespace {

/// More than that many at once have no good reason; the oldest has to go.
constexpr std::size_t strangers_max = 8;

/// Only the user who runs the supervisor may speak to it.
bool is_same_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && peer.uid == ::geteuid();
}

/// Receives what is there. Returns false when the connection has ended or the
/// peer sends a line that is too long.
bool receive(int fd, LineBuffer& lines) {
  std::array<char, 4096> buffer;
  for (;;) {
    auto n = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return true;
    if (n <= 0)
      return false;
    lines.append({buffer.data(), static_cast<std::size_t>(n)});
    if (lines.size() > line_bytes_max)
      return false;
  }
}

} // namespace

ControlServer::ControlServer(UniqueFd worker, std::string received,
                             Handler handler)
    : worker_{std::move(worker), LineBuffer{std::move(received)}},
      handler_(std::move(handler)) {
}

void ControlServer::listen_on(UniqueFd listener) {
  listener_ = std::move(listener);
}

std::vector<int> ControlServer::descriptors() const {
  std::vector<int> result;
  if (listener_)
    result.push_back(listener_.get());
  if (worker_.fd)
    result.push_back(worker_.fd.get());
  for (const auto& stranger : foreign_programs_)
    result.push_back(stranger.fd.get());
  return result;
}

void ControlServer::handle() {
  if (listener_)
    accept_connections();
  handle_strangers();
  handle_worker();
}

bool ControlServer::connected() const noexcept {
  return static_cast<bool>(worker_.fd);
}

bool ControlServer::worker_has_left() const {
  pollfd fd{worker_.fd.get(), POLLRDHUP, 0};
  return !worker_.fd || ::poll(&fd, 1, 0) > 0;
}

void ControlServer::send(const State& state) {
  if (!worker_.fd)
    return;
  auto text = to_json(state) + "\n";
  // There are few messages and the socket's buffer holds them all. A worker
  // that does not read them is as good as lost.
  auto n = ::send(worker_.fd.get(), text.data(), text.size(),
                  MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n != static_cast<ssize_t>(text.size()))
    worker_ = {};
}

void ControlServer::accept_connections() {
  for (;;) {
    UniqueFd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!fd)
      return;
    if (!is_same_user(fd.get()))
      continue;
    if (foreign_programs_.size() == strangers_max)
      foreign_programs_.erase(foreign_programs_.begin());
    foreign_programs_.push_back(Connection{std::move(fd), LineBuffer{}});
  }
}

void ControlServer::handle_strangers() {
  std::vector<Connection> remaining;
  for (auto& stranger : foreign_programs_) {
    auto alive = receive(stranger.fd.get(), stranger.lines);
    auto line = stranger.lines.next_line();
    if (line && parse_request(*line) == Request::hello) {
      worker_ = std::move(stranger);
      handler_(Request::hello);
    } else if (alive && !line) {
      remaining.push_back(std::move(stranger));
    }
  }
  foreign_programs_ = std::move(remaining);
}

void ControlServer::handle_worker() {
  if (!worker_.fd)
    return;
  auto alive = receive(worker_.fd.get(), worker_.lines);
  // Also what came right before the end of the connection counts.
  while (auto line = worker_.lines.next_line()) {
    auto request = parse_request(*line);
    if (!request) {
      alive = false;
      break;
    }
    handler_(*request);
  }
  if (!alive)
    worker_ = {};
}

} // namespace stoker::process
