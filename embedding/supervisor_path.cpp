#include "embedding/supervisor_path.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

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

FoundSupervisor as_named(std::string path) {
  return {std::move(path), {}};
}

/// `stoker-supervise` beside `program`, which is `stoker` where it is; nothing: it is not
/// there.
std::optional<FoundSupervisor>
find_small(const std::filesystem::path& program) {
  auto path = (program.parent_path() / "stoker-supervise").string();
  if (!is_executable(path))
    return std::nullopt;
  process::UniqueFd file{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  if (!file)
    return as_named(std::move(path));
  // Of this process: whoever is started has none of its descriptors.
  auto name = "/proc/" + std::to_string(::getpid()) + "/fd/"
              + std::to_string(file.get());
  return FoundSupervisor{std::move(name), std::move(file)};
}

} // namespace

FoundSupervisor own_supervisor() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (auto small = error ? std::nullopt : find_small(self))
    return *std::move(small);
  // The link stays true when the file is replaced by a new version.
  return as_named("/proc/self/exe");
}

std::optional<FoundSupervisor> find_supervisor(const std::string& named) {
  auto at = [](const std::string& path) -> std::optional<FoundSupervisor> {
    if (!is_executable(path))
      return std::nullopt;
    std::filesystem::path program{path};
    auto small
        = program.filename() == "stoker" ? find_small(program) : std::nullopt;
    return small ? std::move(small) : as_named(path);
  };
  if (!named.empty())
    return at(named);
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && self.filename().string().starts_with("stoker"))
    return own_supervisor();
  if (const auto* given = std::getenv("STOKER_SUPERVISOR"))
    return at(given);
  if (auto installed = at(STOKER_INSTALLED_PROGRAM))
    return installed;
  auto on_path = find_on_path("stoker");
  return on_path ? at(*on_path) : std::nullopt;
}

} // namespace stoker
