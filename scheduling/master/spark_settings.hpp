#pragma once

#include "messages/descriptions.hpp"

namespace stoker {

/// Returns what the settings of a driver of Spark's say of the application that it will
/// register, as far as executors depend on it: their size, cores in all, and named resources.
/// Settings that cannot be read count as absent: the application is refused when it registers.
/// Source: Spark's configuration page, "Execution Behavior" and "Application Properties".
/// @pre `driver.command.spark`
[[nodiscard]] ApplicationDescription
described_by_settings(const DriverDescription& driver);

} // namespace stoker
