#include "tools/benchmark/spark_wire_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

namespace stoker::benchmark {

namespace {

sockaddr_in socket_address(const spark::RpcAddress& x) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(static_cast<std::uint16_t>(x.port));
  if (::inet_pton(AF_INET, x.host.c_str(), &result.sin_addr) != 1)
    throw std::runtime_error(x.host + " is no address");
  return result;
}

process::UniqueFd new_socket() {
  process::UniqueFd result{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!result)
    throw std::runtime_error("no socket is left");
  return result;
}

void set_option(int fd, int level, int name) {
  const int on = 1;
  ::setsockopt(fd, level, name, &on, sizeof on);
}

bool bind_to(int fd, const spark::RpcAddress& x) {
  auto address = socket_address(x);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address)
         == 0;
}

bool connect_to(int fd, const spark::RpcAddress& x) {
  auto address = socket_address(x);
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                   sizeof address)
         == 0;
}

} // namespace

bool can_be_connected(const spark::RpcAddress& to) {
  return connect_to(new_socket().get(), to);
}

void WireConnection::connect(const std::string& from,
                             const spark::RpcAddress& to) {
  auto socket = new_socket();
  // The kernel chooses the port when it knows where the connection goes: else the ports
  // of one address would have to do for all.
  set_option(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
  if (!bind_to(socket.get(), {from, 0}) || !connect_to(socket.get(), to))
    throw std::runtime_error("no connection from " + from + " to " + to.host
                             + ':' + std::to_string(to.port));
  adopt(std::move(socket));
}

void WireConnection::adopt(process::UniqueFd socket) {
  close();
  socket_ = std::move(socket);
  set_option(socket_.get(), IPPROTO_TCP, TCP_NODELAY);
  loop_.add(socket_.get(), *this);
}

void WireConnection::close() {
  if (socket_)
    loop_.remove(socket_.get());
  socket_.reset();
  incomplete_.clear();
  unsent_.clear();
}

void WireConnection::send(std::string_view frames) {
  if (!socket_)
    throw std::runtime_error("a connection is closed that is written to");
  if (!unsent_.empty()) {
    unsent_ += frames;
    return;
  }
  auto sent = ::send(socket_.get(), frames.data(), frames.size(),
                     MSG_NOSIGNAL | MSG_DONTWAIT);
  auto gone = sent < 0 ? std::size_t{0} : static_cast<std::size_t>(sent);
  if (gone == frames.size())
    return;
  // What is wrong with the connection, if anything is, is seen when it is read.
  unsent_ = frames.substr(gone);
  loop_.write_too(socket_.get(), *this, true);
}

void WireConnection::send_rest() {
  auto sent = ::send(socket_.get(), unsent_.data(), unsent_.size(),
                     MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0)
    unsent_.erase(0, static_cast<std::size_t>(sent));
  if (unsent_.empty())
    loop_.write_too(socket_.get(), *this, false);
}

void WireConnection::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && socket_ && !unsent_.empty())
    send_rest();
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && socket_)
    receive();
}

void WireConnection::receive() {
  auto buffer = loop_.buffer();
  auto count
      = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count <= 0)
    return close();
  std::string_view bytes{buffer.data(), static_cast<std::size_t>(count)};
  if (incomplete_.empty()) {
    take_frames(bytes);
    incomplete_ += bytes;
    return;
  }
  auto all = std::exchange(incomplete_, {});
  all += bytes;
  std::string_view rest{all};
  take_frames(rest);
  incomplete_ += rest;
}

void WireConnection::take_frames(std::string_view& bytes) {
  while (socket_) {
    auto frame = spark::take_frame(bytes);
    if (!frame)
      throw std::runtime_error("a master sends what is no frame: "
                               + frame.error().message);
    if (!*frame)
      return;
    received_(**frame);
  }
  bytes = {};
}

WireListener::WireListener(WireLoop& loop, const spark::RpcAddress& at,
                           Accepted accepted)
    : loop_(loop), accepted_(std::move(accepted)), socket_(new_socket()) {
  set_option(socket_.get(), SOL_SOCKET, SO_REUSEADDR);
  constexpr int backlog = 4096;
  // Nobody on the network gets in.
  constexpr std::string_view loopback = "lo";
  auto is_confined = at.host != wire_any_host
                     || ::setsockopt(socket_.get(), SOL_SOCKET, SO_BINDTODEVICE,
                                     loopback.data(), loopback.size())
                            == 0;
  if (!is_confined || !bind_to(socket_.get(), at)
      || ::listen(socket_.get(), backlog) != 0)
    throw std::runtime_error("nobody can listen at " + at.host + ':'
                             + std::to_string(at.port));
  loop_.add(socket_.get(), *this);
}

WireListener::~WireListener() {
  loop_.remove(socket_.get());
}

void WireListener::ready(std::uint32_t) {
  process::UniqueFd socket{
      ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (socket)
    accepted_(std::move(socket));
}

} // namespace stoker::benchmark
