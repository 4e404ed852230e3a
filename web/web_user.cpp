#include "web/web_user.hpp"

#include "messages/printable.hpp"

namespace stoker {

namespace {

Error only_reads(const WebUser& x) {
  return {Errc::not_allowed, "you are " + printable(x.name)
                                 + ", and may read, but change nothing"};
}

} // namespace

WebUser web_user(const SparkUser& x) {
  return {x.id ? KnownBy::kernel : KnownBy::nothing,
          x.may_all() ? WebRights::all : WebRights::own,
          x.name(),
          {}};
}

WebUser web_user(const Identity& x) {
  auto rights = includes(x.role, Role::operator_) ? WebRights::all
                : includes(x.role, Role::user)    ? WebRights::own
                                                  : WebRights::read;
  return {KnownBy::certificate, rights, x.name, {}};
}

Status may_start(const WebUser& x) {
  return x.rights == WebRights::read ? Status{only_reads(x)} : Status{};
}

Status may_end(const WebUser& x, const std::string& owner) {
  if (x.rights == WebRights::read)
    return only_reads(x);
  if (x.rights == WebRights::all || x.name == owner)
    return {};
  return Error{Errc::not_allowed, "it is of user " + printable(owner)
                                      + ", and you are " + printable(x.name)};
}

} // namespace stoker
