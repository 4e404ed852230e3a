#include "gateway/recall_rules.hpp"

#include <string>
#include <variant>

#include "gateway/user_name.hpp"

namespace stoker {

namespace {

Error wrong_owner(uid_t owner, const std::string& expected) {
  return {Errc::not_allowed, "a process of user " + user_name(owner)
                                 + " listens there, and not one of "
                                 + expected};
}

/// Whether a driver of this user could have registered the application.
Status check_known(const SparkDriverRecall& x, const SparkUser& user) {
  const auto& expected = x.description.user;
  return user.may_be(expected) ? Status{}
                               : wrong_owner(*user.id, "user " + expected);
}

/// Whether a worker of this user could have registered.
Status check_known(const SparkWorkerRecall&, const SparkUser& user) {
  return user.may_all() ? Status{}
                        : wrong_owner(*user.id, "the user who runs the master");
}

} // namespace

Status check_owner(const SparkRecall& recall, SparkUsers users,
                   std::optional<uid_t> owner) {
  if (!owner)
    return Error{Errc::not_running, "no process of a known user listens there"};
  // At that address any process may listen by now.
  auto known = users == SparkUsers::any ? SparkUsers::local : users;
  auto user = user_of_peer(known, owner, {"127.0.0.1", 0}, "listens");
  if (!user)
    return std::move(user).error();
  return std::visit([&](const auto& x) { return check_known(x, *user); },
                    recall);
}

} // namespace stoker
