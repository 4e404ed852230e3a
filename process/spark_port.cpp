#include "process/spark_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "process/socket_owner.hpp"
#include "process/spark_frame.hpp"

namespace stoker::process {

namespace {

/// A JVM makes one; a few more if what it started does the same.
constexpr std::size_t connections_max = 16;

/// Returns true if the process at the other end runs as the same user as the program, or as
/// root. Other users must not take the place of a JVM.
bool is_of_this_user(int connection) {
  auto owner = owner_behind(connection);
  return owner && (*owner == ::geteuid() || *owner == 0);
}

bool send_all(int fd, std::string_view text) {
  // The socket's buffer holds what few questions are answered with. Who does not
  // read their answers is no JVM.
  auto n = ::send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return n == static_cast<ssize_t>(text.size());
}

} // namespace

std::variant<SparkPort, int> SparkPort::open() {
  SparkPort result;
  result.listener_ = UniqueFd{
      ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any_address = reinterpret_cast<sockaddr*>(&address);
  if (!result.listener_
      || ::bind(result.listener_.get(), any_address, size) != 0
      || ::listen(result.listener_.get(), connections_max) != 0
      || ::getsockname(result.listener_.get(), any_address, &size) != 0)
    return errno;
  result.url_
      = "spark://Worker@127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  return result;
}

std::vector<int> SparkPort::descriptors() const {
  std::vector<int> result;
  if (listener_)
    result.push_back(listener_.get());
  for (const auto& x : connections_)
    result.push_back(x.fd.get());
  return result;
}

void SparkPort::handle() {
  if (!listener_)
    return;
  // Read first: who has asked by now need not make room for others.
  std::erase_if(connections_, [](Connection& x) { return !receive(x); });
  accept_connections();
}

void SparkPort::close() {
  listener_.reset();
  connections_.clear();
}

void SparkPort::accept_connections() {
  for (;;) {
    UniqueFd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!fd)
      return;
    if (is_of_this_user(fd.get()) && make_room())
      connections_.push_back(Connection{std::move(fd), {}, false});
  }
}

bool SparkPort::make_room() {
  if (connections_.size() < connections_max)
    return true;
  auto i = std::find_if(connections_.begin(), connections_.end(),
                        [](const Connection& x) { return !x.has_asked; });
  if (i == connections_.end())
    return false;
  connections_.erase(i);
  return true;
}

bool SparkPort::receive(Connection& connection) {
  // Only once: who never stops sending must not keep the supervisor from its work.
  std::array<char, 4096> buffer;
  auto n
      = ::recv(connection.fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  connection.received.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 && answer_frames(connection);
}

bool SparkPort::answer_frames(Connection& connection) {
  auto& received = connection.received;
  for (;;) {
    auto frame = first_spark_frame(received);
    switch (frame.kind) {
    case SparkFrame::Kind::incomplete:
      return true;
    case SparkFrame::Kind::refused:
      return false;
    case SparkFrame::Kind::request:
      if (!send_all(connection.fd.get(), answer_true(frame.request_id)))
        return false;
      connection.has_asked = true;
      break;
    case SparkFrame::Kind::one_way:
      break;
    }
    received.erase(0, frame.size);
  }
}

} // namespace stoker::process
