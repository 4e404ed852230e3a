#pragma once

#include <functional>
#include <optional>

#include "messages/administration.hpp"

namespace stoker {

/// Describes a driver by the start that took its place last: its state, place, end and figures.
/// `id`, `relaunched_as` and `submitted_ms` stay those of the driver itself, as clients know a
/// driver by its first id.
/// @param find Returns the driver with an id, or std::nullopt if it is not kept any more.
DriverInfo by_last_start(
    const DriverInfo& driver,
    const std::function<std::optional<DriverInfo>(const DriverId&)>& find);

} // namespace stoker
