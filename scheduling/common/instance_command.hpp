#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/descriptions.hpp"

namespace stoker {

/// The words of a command with an argument: in the place of each "{}", or at the end.
[[nodiscard]] std::vector<std::string>
with_argument(std::vector<std::string> words, const std::string& argument);

/// What an executor has to know of its application: of the arguments of instances those of
/// its own, which its command has, and nothing of what comes before and after.
/// @param index Unset, or of an instance.
[[nodiscard]] ApplicationDescription
of_instance(const ApplicationDescription& x, std::optional<int> index);

} // namespace stoker
