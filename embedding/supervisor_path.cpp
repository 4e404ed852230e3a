#include "embedding/supervisor_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace stoker {

namespace {

bool is_executable(const std::string& path) {
  return access(path.c_str(), X_OK) == 0
         && std::filesystem::is_regular_file(path);
}

std::optional<std::string> find_on_path(const std::string& name) {
  const auto* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    auto colon = rest.find(':');
    auto candidate = std::string{rest.substr(0, colon)} + '/' + name;
    if (is_executable(candidate))
      return candidate;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_supervisor(const std::string& named) {
  if (!named.empty())
    return is_executable(named) ? std::optional{named} : std::nullopt;
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  // The link stays true when the file is replaced by a new version.
  if (!error && self.filename().string().starts_with("stoker"))
    return "/proc/self/exe";
  if (const auto* given = std::getenv("STOKER_SUPERVISOR"))
    return is_executable(given) ? std::optional<std::string>{given}
                                : std::nullopt;
  if (is_executable(STOKER_INSTALLED_PROGRAM))
    return STOKER_INSTALLED_PROGRAM;
  return find_on_path("stoker");
}

} // namespace stoker
