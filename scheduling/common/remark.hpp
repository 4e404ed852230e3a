#pragma once

#include <optional>
#include <string>

#include "messages/administration.hpp"

namespace stoker {

/// What is worth a remark of an application or a driver: for whom it waits ("waits for
/// app-1, driver-1"), or why it is as it is. Nothing: nothing is.
/// @tparam Info An ApplicationInfo or a DriverInfo.
template <class Info>
std::optional<std::string> remark_on(const Info& x) {
  if (x.waits_for.empty())
    return x.message;
  std::string result = "waits for ";
  for (const auto& id : x.waits_for)
    result += (&id == &x.waits_for.front() ? "" : ", ") + id;
  return result;
}

} // namespace stoker
