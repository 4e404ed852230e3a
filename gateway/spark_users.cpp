#include "gateway/spark_users.hpp"

#include <unistd.h>

#include "gateway/user_name.hpp"
#include "network/address.hpp"
#include "network/connection_owner.hpp"

namespace stoker {

namespace {

/// He may be anybody.
constexpr uid_t root_user = 0;

} // namespace

bool SparkUser::may_all() const {
  return !id || *id == root_user || *id == ::geteuid();
}

bool SparkUser::may_be(const std::string& user) const {
  return !id || *id == root_user || user_name(*id) == user;
}

std::string SparkUser::name() const {
  return user_name(id.value_or(::geteuid()));
}

Result<SparkUser> user_of_peer(SparkUsers users, const SocketAddress& here,
                               const SocketAddress& peer,
                               const std::string& what) {
  if (users == SparkUsers::any)
    return SparkUser{};
  return user_of_peer(users, owner_of_peer(here, peer), peer, what);
}

Result<SparkUser> user_of_peer(SparkUsers users, std::optional<uid_t> owner,
                               const SocketAddress& peer,
                               const std::string& what) {
  if (users == SparkUsers::any)
    return SparkUser{};
  if (!owner)
    return Error{is_loopback(peer.host) ? Errc::not_running : Errc::not_allowed,
                 "the kernel does not know whose process " + what};
  if (users == SparkUsers::own && *owner != root_user && *owner != ::geteuid())
    return Error{Errc::not_allowed,
                 "this master is for user " + user_name(::geteuid())
                     + " alone (--spark-users; over HTTP --web-users)"};
  return SparkUser{*owner};
}

void log_refused_user(LimitedLog& log, const SocketAddress& peer,
                      const Error& why) {
  auto line = to_string(peer) + ": " + why.message;
  // A browser that is led on closes what it has asked for: that is no news.
  if (why.code == Errc::not_running)
    log.debug(line);
  else
    log.warn(line);
}

} // namespace stoker
