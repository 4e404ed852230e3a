#pragma once

#include <optional>
#include <string>
#include <variant>

#include "messages/ids.hpp"

namespace stoker {

/// What a user can name: an application, one of its executors
/// (`app-20261121074600-0001/0`), a driver or a worker.
using EntityId = std::variant<AppId, ExecutorId, DriverId, WorkerId>;

/// Nothing: not an id of any kind.
std::optional<EntityId> parse_entity_id(const std::string& text);

} // namespace stoker
