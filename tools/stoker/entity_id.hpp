#pragma once

#include <optional>
#include <string>
#include <variant>

#include "messages/ids.hpp"

namespace stoker {

/// What a user can name: an application, one of its executors
/// (`app-20261121074600-0001/0`), a driver or a worker.
using ThingId = std::variant<AppId, ExecutorId, DriverId, WorkerId>;

/// Nothing: not an id of any kind.
std::optional<ThingId> parse_thing_id(const std::string& text);

} // namespace stoker
