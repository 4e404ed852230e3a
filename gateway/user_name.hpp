#pragma once

#include <sys/types.h>

#include <string>

namespace stoker {

/// The user's name on this machine, or its number where it has none.
std::string user_name(uid_t uid);

} // namespace stoker
