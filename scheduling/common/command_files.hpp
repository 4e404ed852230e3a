#pragma once

// Which files may go with a command.

#include <cstddef>
#include <string_view>
#include <vector>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"

namespace stoker {

/// Of one command.
inline constexpr std::size_t command_files_max = 100;

/// Of a file's name, in bytes: what Linux takes.
inline constexpr std::size_t file_name_bytes_max = 255;

/// Whether it is the sum of some content: 64 lower-case hexadecimal digits.
[[nodiscard]] bool is_sha256(std::string_view x);

/// Whether a file may stand under this name in a program's own directory: a plain name
/// that nothing else there has.
/// @return Errc::invalid_request, with what is wrong
[[nodiscard]] Status validate_file_name(std::string_view name);

/// Whether these may go with a command.
/// @return Errc::invalid_request, with the first thing that is wrong
[[nodiscard]] Status validate(const std::vector<CommandFile>& files);

} // namespace stoker
