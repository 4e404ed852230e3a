#pragma once

#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// A file without a name in that directory: it is gone when it is closed, and with this
/// process, however that ends. Empty: `errno` says why.
process::UniqueFd open_unnamed_file(const std::string& directory);

/// Writes all of `bytes` to a file, which `name` names in errors. Fails with
/// `Errc::full` if no space is left, the quota is used up or the file may grow no
/// further, else with `Errc::io`.
Status write_to_file(int file, std::string_view bytes, const std::string& name);

/// What such an error is.
/// @param error An `errno` value.
Error cannot_write(const std::string& name, int error);

} // namespace stoker::executor
