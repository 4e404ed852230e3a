#pragma once

// What the certificate of somebody lets him say to a MASTER. Whoever shows one may
// ask questions; an executor shows none, and may say nothing. Which worker and which
// application are whose, the master's logic decides (scheduling/master/ownership.hpp).

#include <string>

#include "messages/all.hpp"
#include "messages/result.hpp"
#include "network/identity.hpp"

namespace stoker {

/// Whose role one has to have to say this.
template <class Message>
inline constexpr Role said_by = Role::user;

template <>
inline constexpr Role said_by<RegisterWorker> = Role::node;
template <>
inline constexpr Role said_by<Heartbeat> = Role::node;
template <>
inline constexpr Role said_by<WorkerLatestState> = Role::node;
template <>
inline constexpr Role said_by<WorkerSchedulerStateResponse> = Role::node;
template <>
inline constexpr Role said_by<WorkerDecommissioning> = Role::node;
template <>
inline constexpr Role said_by<WorkerLeft> = Role::node;
template <>
inline constexpr Role said_by<ExecutorStateChanged> = Role::node;
template <>
inline constexpr Role said_by<DriverStateChanged> = Role::node;
template <>
inline constexpr Role said_by<FetchFilePart> = Role::node;

template <>
inline constexpr Role said_by<DecommissionWorkers> = Role::operator_;
template <>
inline constexpr Role said_by<RequestReload> = Role::operator_;

/// In whose name somebody asks for something; null: in nobody's.
template <class Message>
const std::string* in_the_name_of(const Message&) {
  return nullptr;
}
inline const std::string* in_the_name_of(const RegisterApplication& x) {
  return &x.description.user;
}
inline const std::string* in_the_name_of(const RequestSubmitDriver& x) {
  return &x.driver_description.user;
}

inline Error not_allowed(const std::string& what) {
  return {Errc::not_allowed, what};
}

/// A user asks in his own name, an operator or a node in anybody's.
template <class Message>
Status check_rights(const Identity& who, const Message& x) {
  auto role = said_by<Message>;
  if (!includes(who.role, role))
    return not_allowed(
        to_string(who) + " may not do this: it needs the certificate of "
        + (role == Role::operator_ ? "an " : "a ") + to_string(role));
  const auto* user = in_the_name_of(x);
  if (user != nullptr && who.role == Role::user && *user != who.name)
    return not_allowed(to_string(who) + " may not run anything in the name of '"
                       + *user + "'");
  return {};
}

} // namespace stoker
