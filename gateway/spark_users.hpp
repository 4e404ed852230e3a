#pragma once

#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "gateway/frame_server.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Whose programs may use a master by protocols that prove nothing. What they start runs as
/// the user of its worker.
enum class SparkUsers {
  /// Those of the user who runs the master, and root's.
  own,

  /// Those of all users of this machine, each under his own name, and root's.
  local,

  /// Everybody's, under any name: nothing is checked.
  any,
};
BOOST_DESCRIBE_ENUM(SparkUsers, own, local, any)

/// The user behind a connection; nothing: he may be anybody.
using ProvenUser = std::optional<std::string>;

/// Who is behind a connection, as the kernel of this machine knows it. Fails with
/// `Errc::not_allowed` for one who may not use the master.
Result<ProvenUser> prove_user(SparkUsers users, const SocketAddress& here,
                              const SocketAddress& peer);

/// Whether he may do something under this name; if not, `what` he may not: "register an
/// application".
Status may_be(const ProvenUser& user, const std::string& name,
              const std::string& what);

} // namespace stoker
