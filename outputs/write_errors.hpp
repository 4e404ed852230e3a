#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "messages/result.hpp"

namespace stoker {

/// Whether an `errno` says that there is no room: on the disk, by the system's
/// quota, or by the limit for a file's size.
inline bool is_full(int error) noexcept {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/// `Errc::full` or `Errc::io`.
inline Error write_error(const std::string& what, int error) {
  return {is_full(error) ? Errc::full : Errc::io,
          what + ": " + std::strerror(error)};
}

} // namespace stoker
