#include "gateway/connection_owner.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstdint>
#include <cstring>

#include <boost/asio/ip/address.hpp>

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

} // namespace

std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer) {
  auto own = parse(peer);
  auto other = parse(here);
  if (!own || !other || !own->is_loopback() || own->is_v4() != other->is_v4())
    return std::nullopt;
  process::UniqueFd socket{
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)};
  if (socket.get() < 0)
    return std::nullopt;
  // The kernel answers at once.
  timeval patience{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
               sizeof patience);
  auto question = question_for(*own, peer.port, *other, here.port);
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(socket.get(), &question, sizeof question, 0,
               reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel)
      < 0)
    return std::nullopt;
  alignas(nlmsghdr) std::array<char, 8192> answer{};
  auto n = ::recv(socket.get(), answer.data(), answer.size(), 0);
  nlmsghdr header{};
  inet_diag_msg body{};
  if (n < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof body))
    return std::nullopt;
  std::memcpy(&header, answer.data(), sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return std::nullopt;
  std::memcpy(&body, answer.data() + NLMSG_HDRLEN, sizeof body);
  // A socket that its process has closed belongs to nobody, and is said to be root's.
  if (body.idiag_inode == 0)
    return std::nullopt;
  return body.idiag_uid;
}

} // namespace stoker
