#pragma once

#include <optional>

#include "messages/administration.hpp"
#include "messages/spark.hpp"
#include "pages/table.hpp"

namespace stoker {

/// Returns a link to the page of a program of Spark that runs, or std::nullopt if it has none.
/// @param has_proxy The master serves the pages of programs below /proxy/.
std::optional<pages::Fact>
link_to_program(const ApplicationInfo& app,
                const std::optional<SparkDriver>& driver, bool has_proxy);

} // namespace stoker
