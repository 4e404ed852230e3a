#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include <boost/describe.hpp>

#include "gateway/frame_server.hpp"
#include "messages/result.hpp"
#include "network/limited_log.hpp"

namespace stoker {

/// Whose programs may use the master. What they start runs as the user of its worker.
enum class SparkUsers {
  /// Those of the user who runs the master, and root's.
  own,

  /// Those of all users of this machine, each under his own name, and root's.
  local,

  /// Everybody's, under any name: nothing is checked.
  any,
};
BOOST_DESCRIBE_ENUM(SparkUsers, own, local, any)

/// Who is at the other end of a connection.
struct SparkUser {
  /// As the kernel knows it. Unset: nobody has looked, and anybody may be anyone.
  std::optional<uid_t> id;

  /// Whether he may do what he likes to what others have started.
  [[nodiscard]] bool may_all() const;

  /// Whether he may start something in the name of this user, or end it.
  [[nodiscard]] bool may_be(const std::string& user) const;

  /// In whose name he starts something if he gives none.
  [[nodiscard]] std::string name() const;
};

/// Returns the user behind a connection if that user may use the master.
/// @param owner as `owner_of_peer`
/// @param what what the process does, such as "registers"
/// Fails with `Errc::not_running` if the process is of this machine and has closed the
/// connection, and otherwise with `Errc::not_allowed`.
Result<SparkUser> user_of_peer(SparkUsers users, std::optional<uid_t> owner,
                               const SocketAddress& peer,
                               const std::string& what);

/// The same for a connection whose owner was not asked for yet.
Result<SparkUser> user_of_peer(SparkUsers users, const SocketAddress& here,
                               const SocketAddress& peer,
                               const std::string& what);

/// Logs why somebody was refused by `user_of_peer`: as a warning, unless he has gone.
void log_refused_user(LimitedLog& log, const SocketAddress& peer,
                      const Error& why);

} // namespace stoker
