#include "gateway/spark_users.hpp"

#include <sys/types.h>
#include <unistd.h>

#include "gateway/connection_owner.hpp"
#include "gateway/user_name.hpp"

namespace stoker {

namespace {

/// He may be anybody.
constexpr uid_t root_user = 0;

Error not_allowed(std::string why) {
  return {Errc::not_allowed, std::move(why)};
}

} // namespace

Result<ProvenUser> prove_user(SparkUsers users, const SocketAddress& here,
                              const SocketAddress& peer) {
  if (users == SparkUsers::any)
    return ProvenUser{};
  auto owner = owner_of_peer(here, peer);
  if (!owner)
    return not_allowed("the kernel does not know whose process that is");
  if (*owner == root_user)
    return ProvenUser{};
  if (users == SparkUsers::own && *owner != ::geteuid())
    return not_allowed(
        "this master is for user " + user_name(::geteuid())
        + " alone, unless it is started with --spark-users local");
  return ProvenUser{user_name(*owner)};
}

Status may_be(const ProvenUser& user, const std::string& name,
              const std::string& what) {
  if (!user || *user == name)
    return {};
  return not_allowed("user " + *user + " may not " + what + " of user " + name);
}

} // namespace stoker
