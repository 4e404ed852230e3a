#include "process/socket_owner.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "process/unique_fd.hpp"

namespace stoker::process {

namespace {

constexpr std::size_t v4_bytes = 4;

/// The kernel's number of the interface that carries each connection within a machine. A
/// socket that is bound to an interface is found by its number only.
constexpr std::uint32_t loopback_interface = 1;

SocketEnd from_v4(const in_addr& address, in_port_t port) {
  SocketEnd result;
  std::memcpy(result.address.data(), &address, v4_bytes);
  result.port = ntohs(port);
  return result;
}

SocketEnd from_v6(const in6_addr& address, in_port_t port) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr v4{};
    std::memcpy(&v4, &address.s6_addr[sizeof address - v4_bytes], v4_bytes);
    return from_v4(v4, port);
  }
  SocketEnd result;
  result.is_v4 = false;
  std::memcpy(result.address.data(), &address, sizeof address);
  result.port = ntohs(port);
  return result;
}

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

/// Asks for the one socket that has `own` here and `other` there, or listens at `own`.
Question question_for(const SocketEnd& own, const SocketEnd& other) {
  constexpr std::uint32_t any_state = 0xffffffffU;
  Question result{};
  result.header.nlmsg_len = sizeof result;
  result.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  result.header.nlmsg_flags = NLM_F_REQUEST;
  auto& body = result.body;
  body.sdiag_family = own.is_v4 ? AF_INET : AF_INET6;
  body.sdiag_protocol = IPPROTO_TCP;
  body.idiag_states = any_state;
  body.id.idiag_if = loopback_interface;
  body.id.idiag_sport = htons(own.port);
  body.id.idiag_dport = htons(other.port);
  std::memcpy(static_cast<__be32*>(body.id.idiag_src), own.address.data(),
              own.address.size());
  std::memcpy(static_cast<__be32*>(body.id.idiag_dst), other.address.data(),
              other.address.size());
  body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return result;
}

/// The kernel's answer to one question.
struct Answer {
  /// Unset: there is no such socket.
  std::optional<inet_diag_msg> found;
};

/// Reads the kernel's answer from a message of `size` bytes.
std::optional<Answer> read_answer(const char* message, std::size_t size) {
  nlmsghdr header{};
  if (size < NLMSG_HDRLEN)
    return std::nullopt;
  std::memcpy(&header, message, sizeof header);
  if (header.nlmsg_type == NLMSG_ERROR
      && size >= NLMSG_LENGTH(sizeof(nlmsgerr))) {
    nlmsgerr error{};
    std::memcpy(&error, message + NLMSG_HDRLEN, sizeof error);
    return error.error == -ENOENT ? std::optional{Answer{}} : std::nullopt;
  }
  inet_diag_msg body{};
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY
      || size < NLMSG_HDRLEN + sizeof body)
    return std::nullopt;
  std::memcpy(&body, message + NLMSG_HDRLEN, sizeof body);
  // A socket without a process has no inode, and the kernel reports it as root's.
  if (body.idiag_inode == 0)
    return Answer{};
  return Answer{body};
}

/// Sends the question to the kernel.
/// @return std::nullopt if the kernel cannot be asked
std::optional<Answer> ask_kernel(const Question& question) {
  UniqueFd socket{
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  if (!socket)
    return std::nullopt;
  timeval patience{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof patience);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(socket.get(), &question, sizeof question, 0,
               reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel)
      < 0)
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 8192> message{};
  auto n = ::recv(socket.get(), message.data(), message.size(), 0);
  if (n < 0)
    return std::nullopt;
  return read_answer(message.data(), static_cast<std::size_t>(n));
}

using NameFunction = int (*)(int, sockaddr*, socklen_t*);

std::optional<SocketEnd> end_of(int socket, NameFunction name) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (name(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0)
    return std::nullopt;
  if (storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage, sizeof v4);
    return from_v4(v4.sin_addr, v4.sin_port);
  }
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &storage, sizeof v6);
    return from_v6(v6.sin6_addr, v6.sin6_port);
  }
  return std::nullopt;
}

/// Returns true if the kernel finds the sockets of this machine. One without the module
/// tcp_diag says of each socket that it does not exist.
bool finds_sockets() {
  UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket
      || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address)
             != 0
      || ::listen(socket.get(), 1) != 0)
    return false;
  auto end = end_of(socket.get(), ::getsockname);
  return end && owner_of_listener(*end);
}

} // namespace

std::optional<SocketEnd> socket_end(const std::string& host,
                                    std::uint16_t port) {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1)
    return from_v4(v4, htons(port));
  // The kernel finds a link-local address without the name of its interface.
  in6_addr v6{};
  if (::inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &v6) == 1)
    return from_v6(v6, htons(port));
  return std::nullopt;
}

EndOwner find_end_owner(const SocketEnd& own, const SocketEnd& other) {
  using Kind = EndOwner::Kind;
  if (own.is_v4 != other.is_v4)
    return {};
  auto answer = ask_kernel(question_for(own, other));
  if (!answer)
    return {};
  const auto& found = answer->found;
  // Without such a connection the kernel names a socket that listens at `own`.
  if (found && found->idiag_state != TCP_LISTEN)
    return {Kind::user, found->idiag_uid};
  static const bool is_known = finds_sockets();
  return {is_known ? Kind::none : Kind::unknown};
}

std::optional<uid_t> owner_of_connection(const SocketEnd& own,
                                         const SocketEnd& other) {
  auto owner = find_end_owner(own, other);
  return owner.kind == EndOwner::Kind::user ? std::optional{owner.user}
                                            : std::nullopt;
}

std::optional<uid_t> owner_of_listener(const SocketEnd& at) {
  SocketEnd any;
  any.is_v4 = at.is_v4;
  auto answer = ask_kernel(question_for(at, any));
  if (!answer || !answer->found || answer->found->idiag_state != TCP_LISTEN)
    return std::nullopt;
  return answer->found->idiag_uid;
}

std::optional<uid_t> owner_behind(int socket) {
  auto here = end_of(socket, ::getsockname);
  auto there = end_of(socket, ::getpeername);
  if (!here || !there)
    return std::nullopt;
  return owner_of_connection(*there, *here);
}

} // namespace stoker::process
