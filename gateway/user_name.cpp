#include "gateway/user_name.hpp"

#include <pwd.h>

#include <array>

namespace stoker {

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> buffer{};
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0
      && found != nullptr)
    return found->pw_name;
  return std::to_string(uid);
}

} // namespace stoker
