#pragma once

#include <sys/types.h>

#include <optional>

#include "gateway/frame_server.hpp"

namespace stoker {

/// The user whose process has the other end of a TCP connection over loopback, as the
/// kernel knows it (sock_diag(7)). Nothing: the connection goes to another machine, or has
/// been closed there.
std::optional<uid_t> owner_of_peer(const SocketAddress& here,
                                   const SocketAddress& peer);

} // namespace stoker
