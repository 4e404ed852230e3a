#include "process/control_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace stoker::process {

namespace {

/// More than that many at once have no good reason; the oldest has to go.
constexpr std::size_t unidentified_max = 8;

/// Only the user who runs the supervisor may speak to it.
bool is_same_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && peer.uid == ::geteuid();
}

/// Receives what is there. Returns false when the connection has ended or the
/// peer sends a line that is too long.
bool receive(int fd, LineBuffer& lines, std::size_t bytes_max) {
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    auto n = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return true;
    if (n <= 0)
      return false;
    lines.append({buffer.data(), static_cast<std::size_t>(n)});
    if (lines.size() > bytes_max)
      return false;
  }
}

} // namespace

ControlServer::ControlServer(UniqueFd worker, std::string received,
                             Handler handler)
    : worker_{std::move(worker), LineBuffer{std::move(received)}, {}},
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
  for (const auto& connection : unidentified_)
    result.push_back(connection.fd.get());
  return result;
}

void ControlServer::handle() {
  if (listener_)
    accept_connections();
  read_introductions();
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
  send_line(to_json(state) + "\n");
}

void ControlServer::send(const InputState& state) {
  send_line(to_json(state) + "\n");
}

void ControlServer::send_line(const std::string& text) {
  if (!worker_.fd)
    return;
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
    if (unidentified_.size() == unidentified_max)
      unidentified_.erase(unidentified_.begin());
    unidentified_.push_back(Connection{std::move(fd), LineBuffer{}, {}});
  }
}

void ControlServer::read_introductions() {
  std::vector<Connection> remaining;
  for (auto& connection : unidentified_) {
    auto alive = receive(connection.fd.get(), connection.lines, line_bytes_max);
    auto line = connection.lines.next_line();
    auto request = line ? parse_request(*line) : std::nullopt;
    if (request && request->kind == RequestKind::hello) {
      worker_ = std::move(connection);
      handler_(*request, {});
    } else if (alive && !line) {
      remaining.push_back(std::move(connection));
    }
  }
  unidentified_ = std::move(remaining);
}

void ControlServer::handle_worker() {
  if (!worker_.fd)
    return;
  // There is one piece of input at a time.
  auto alive = receive(worker_.fd.get(), worker_.lines,
                       line_bytes_max + input_bytes_max);
  // Also what came right before the end of the connection counts.
  if (!handle_requests() || !alive)
    worker_ = {};
}

bool ControlServer::handle_requests() {
  for (;;) {
    auto& begun = worker_.begun;
    if (!begun) {
      auto line = worker_.lines.next_line();
      if (!line)
        return true;
      begun = parse_request(*line);
      if (!begun)
        return false;
    }
    auto bytes = begun->input.bytes;
    if (worker_.lines.size() < bytes)
      return true;
    auto request = *std::exchange(begun, std::nullopt);
    auto data = worker_.lines.take(bytes);
    handler_(request, data);
  }
}

} // namespace stoker::process
