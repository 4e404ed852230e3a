#pragma once

#include <string>

#include "messages/descriptions.hpp"
#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// Opens the own directory of a program, and makes it if need be. Fails with
/// `Errc::not_allowed` where the program has put a link in its place, or in that of the
/// directory above, and else with
/// `Errc::full` or `Errc::io`.
[[nodiscard]] Result<process::UniqueFd>
open_own_directory(const std::string& path);

/// Copies content into a program's own directory, where nothing of that name may be: a
/// program may change its copy. Only this user can read it (0600, or 0700 if it can be
/// executed). Fails with `Errc::corrupt` when the content is not what the file's sum says,
/// with `Errc::not_allowed` when the program has put something in its place, and else with
/// `Errc::full` or `Errc::io`; there is no copy then.
/// @param source Where the content is
[[nodiscard]] Status place_file(const std::string& source,
                                const CommandFile& file, int directory);

} // namespace stoker
