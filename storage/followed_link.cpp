#include "storage/followed_link.hpp"

#include <filesystem>
#include <system_error>

namespace stoker {

namespace fs = std::filesystem;

std::string followed_link(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error)))
    return path;
  auto result = fs::canonical(path, error);
  return error ? path : result.string();
}

} // namespace stoker
