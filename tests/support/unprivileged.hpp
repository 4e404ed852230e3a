#pragma once

#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace stoker::test {

/// While this object lives, the test program is no root, to whom no file is
/// closed. Who is not root anyway stays who they are.
class Unprivileged {
public:
  /// The directory and what is in it belong to the other user from now on.
  explicit Unprivileged(const std::string& directory) {
    if (!root_)
      return;
    give_away(directory);
    for (const auto& x :
         std::filesystem::recursive_directory_iterator{directory})
      give_away(x.path());
    if (::seteuid(nobody) != 0)
      throw std::runtime_error{"root cannot become another user"};
  }

  ~Unprivileged() {
    if (root_)
      (void)!::seteuid(0);
  }

  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

private:
  static constexpr uid_t nobody = 65534;

  static void give_away(const std::filesystem::path& path) {
    if (::chown(path.c_str(), nobody, nobody) != 0)
      throw std::runtime_error{"cannot give away " + path.string()};
  }

  bool root_ = ::geteuid() == 0;
};

} // namespace stoker::test
