#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace stoker::process {

/// One end of a TCP connection. An IPv4 address that is written as an IPv6 one is IPv4.
struct SocketEnd {
  bool is_v4 = true;

  /// In network order; an IPv4 address has the first four bytes.
  std::array<unsigned char, 16> address{};
  std::uint16_t port = 0;
};

/// Reads an address such as "127.0.0.1" or "::1".
/// @return std::nullopt if `host` is not a numeric address
std::optional<SocketEnd> socket_end(const std::string& host,
                                    std::uint16_t port);

/// What the kernel knows of one end of a TCP connection.
struct EndOwner {
  enum class Kind {
    /// A process of `user` on this machine has it.
    user,

    /// No process has it: it is closed, on another machine, or not accepted yet.
    none,

    /// The kernel cannot be asked.
    unknown
  };
  Kind kind = Kind::unknown;

  /// Valid if the kind is `user`.
  uid_t user = 0;
};

// The functions below ask the kernel of this machine (sock_diag(7)), which answers at once.
// They may be called from any thread.

/// Finds the process that has the end `own` of a connection to `other`.
EndOwner find_end_owner(const SocketEnd& own, const SocketEnd& other);

/// Returns the user whose process has the end `own` of a connection to `other`.
/// @return std::nullopt if that end is on another machine, is closed, or has not been
/// accepted by its process yet
std::optional<uid_t> owner_of_connection(const SocketEnd& own,
                                         const SocketEnd& other);

/// Returns the user whose process has the other end of a connected socket, as
/// `owner_of_connection`.
std::optional<uid_t> owner_behind(int socket);

/// Returns the user whose process would accept a connection to `at`.
/// @return std::nullopt if no process of this machine listens there
std::optional<uid_t> owner_of_listener(const SocketEnd& at);

} // namespace stoker::process
