#include "network/connection_owner.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <boost/asio/ip/address.hpp>

#include "process/socket_owner.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> parse(const SocketAddress& x) {
  boost::system::error_code error;
  auto result = ip::make_address(x.host, error);
  if (error)
    return std::nullopt;
  // How IPv4 looks to a socket that takes both.
  if (result.is_v6() && result.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, result.to_v6());
  return result;
}

struct Question {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

void put(const ip::address& x, __be32* out) {
  if (x.is_v4()) {
    auto bytes = x.to_v4().to_bytes();
    std::memcpy(out, bytes.data(), bytes.size());
  } else {
    auto bytes = x.to_v6().to_bytes();
    std::memcpy(out, bytes.data(), bytes.size());
  }
}

/// Asks for the one socket that has `own` here and `other` there.
Question question_for(const ip::address& own, std::uint16_t own_port,
                      const ip::address& other, std::uint16_t other_port) {
  constexpr std::uint32_t any_state = 0xffffffffU;
  Question result{};
  result.header.nlmsg_len = sizeof result;
  result.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  result.header.nlmsg_flags = NLM_F_REQUEST;
  auto& body = result.body;
  body.sdiag_family = own.is_v4() ? AF_INET : AF_INET6;
  body.sdiag_protocol = IPPROTO_TCP;
  body.idiag_states = any_state;
  body.id.idiag_sport = htons(own_port);
  body.id.idiag_dport = htons(other_port);
  put(own, static_cast<__be32*>(body.id.idiag_src));
  put(other, static_cast<__be32*>(body.id.idiag_dst));
  body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return result;
}

/// The kernel's answer to one question. std::nullopt: it cannot be asked.
struct Answer {
  /// Otherwise there is no such socket.
  bool is_found = false;
  inet_diag_msg body{};
};

std::optional<Answer> ask_kernel(const Question& question) {
  process::UniqueFd socket{
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  if (socket.get() < 0)
    return std::nullopt;
  // The kernel answers at once.
  timeval patience{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof patience);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(socket.get(), &question, sizeof question, 0,
               reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel)
      < 0)
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 8192> answer{};
  auto n = ::recv(socket.get(), answer.data(), answer.size(), 0);
  nlmsghdr header{};
  if (n < static_cast<ssize_t>(NLMSG_HDRLEN))
    return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  Answer result;
  if (header.nlmsg_type == NLMSG_ERROR
      && n >= static_cast<ssize_t>(NLMSG_LENGTH(sizeof(nlmsgerr)))) {
    nlmsgerr error{};
    std::memcpy(&error, answer.data() + NLMSG_HDRLEN, sizeof error);
    return error.error == -ENOENT ? std::optional{result} : std::nullopt;
  }
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY
      || n < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof result.body))
    return std::nullopt;
  result.is_found = true;
  std::memcpy(&result.body, answer.data() + NLMSG_HDRLEN, sizeof result.body);
  return result;
}

} // namespace

PeerOwner find_peer_owner(const SocketAddress& here,
                          const SocketAddress& peer) {
  using Kind = PeerOwner::Kind;
  auto own = parse(peer);
  auto other = parse(here);
  if (!own || !other || own->is_v4() != other->is_v4())
    return {};
  // An address of this machine may stand for a container behind it, which has its sockets
  // elsewhere.
  auto absent = own->is_loopback() ? Kind::closed : Kind::unknown;
  if (!own->is_loopback() && *own != *other)
    return {};
  auto answer = ask_kernel(question_for(*own, peer.port, *other, here.port));
  if (!answer)
    return {};
  // The kernel names root as the owner of a socket that its process has closed.
  if (!answer->is_found || answer->body.idiag_inode == 0
      || answer->body.idiag_state == TCP_LISTEN)
    return {absent};
  return {Kind::user, answer->body.idiag_uid};
}

std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer) {
  auto own = process::socket_end(peer.host, peer.port);
  auto other = process::socket_end(here.host, here.port);
  return own && other ? process::owner_of_connection(*own, *other)
                      : std::nullopt;
}

std::optional<uid_t> owner_of_listener(const SocketAddress& at) {
  auto end = process::socket_end(at.host, at.port);
  return end ? process::owner_of_listener(*end) : std::nullopt;
}

} // namespace stoker
