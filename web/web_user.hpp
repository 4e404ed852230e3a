#pragma once

#include <string>
#include <vector>

#include "gateway/spark_users.hpp"
#include "messages/result.hpp"
#include "network/identity.hpp"

namespace stoker {

/// By what somebody at the pages is known.
enum class KnownBy {
  /// Nobody has looked: anybody may do everything (SparkUsers::any).
  nothing,

  /// The kernel says whose process is at the other end of a connection on this machine.
  kernel,

  /// He has opened a link that was made for him, and his browser has a cookie since.
  session,

  /// He has shown a certificate of the cluster's authority.
  certificate,
};

/// What somebody at the pages may do.
enum class WebRights {
  /// Everything, to what others have started, too.
  all,

  /// Read everything, start programs in his own name, and end what is his own.
  own,

  /// Read everything.
  read,
};

/// Who reads pages, or gives orders over HTTP.
struct WebUser {
  KnownBy by = KnownBy::nothing;
  WebRights rights = WebRights::read;

  /// In whose name he starts something.
  std::string name;

  /// Tells his session from others; empty: he is not known by one.
  std::string session;

  /// The serial numbers of the certificate that it has shown, or by which its session began.
  std::vector<std::string> serials = {};

  friend bool operator==(const WebUser&, const WebUser&) = default;
};

/// Whom the kernel knows.
WebUser web_user(const SparkUser& x);

/// Whom a certificate names, as among actors (actors/rights.hpp): an operator may do what
/// he likes, a user what is his own. A node runs programs, and starts none.
/// @pre the role is one that certificates have
WebUser web_user(const Identity& x);

/// Whether he may start programs in his own name. Fails with `Errc::not_allowed`.
Status may_start(const WebUser& x);

/// Whether he may end what this user has started. Fails with `Errc::not_allowed`.
Status may_end(const WebUser& x, const std::string& owner);

} // namespace stoker
