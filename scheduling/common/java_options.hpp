#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

/// Returns the value that the options of a JVM give a property (`-Dname=value`): the last
/// one counts. std::nullopt: none.
[[nodiscard]] std::optional<std::string_view>
property_of(const std::vector<std::string>& options, std::string_view name);

} // namespace stoker
