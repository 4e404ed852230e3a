#include "tools/stoker/user_config.hpp"

#include <system_error>
#include <utility>

#include "tools/stoker/config_file.hpp"

namespace stoker {

namespace fs = std::filesystem;

namespace {

fs::path absolute_directory(const Variables& variables, const char* name) {
  const auto* value = variables(name);
  fs::path result{value == nullptr ? "" : value};
  return result.is_absolute() ? result : fs::path{};
}

/// Whether nothing at all has that name. A link to nothing is something: somebody wants it
/// read.
bool is_absent(const fs::path& path, fs::file_type type) {
  std::error_code error;
  return type == fs::file_type::not_found
         && fs::symlink_status(path, error).type() != fs::file_type::symlink;
}

} // namespace

fs::path user_config_path(const Variables& variables) {
  auto directory = absolute_directory(variables, "XDG_CONFIG_HOME");
  if (directory.empty()) {
    auto home = absolute_directory(variables, "HOME");
    if (home.empty())
      return {};
    directory = home / ".config";
  }
  return directory / "stoker" / "config.toml";
}

Result<std::vector<Setting>> read_user_config(const fs::path& path) {
  std::error_code error;
  auto type = fs::status(path, error).type();
  // Who has become another user, and kept his variables, cannot look there: it is not his.
  // What else cannot be looked at is an error when it is read.
  if (path.empty() || is_absent(path, type)
      || error == std::errc::permission_denied)
    return std::vector<Setting>{};
  auto result = read_config_file(path.string());
  if (!result)
    return result;
  for (auto& x : *result)
    if (x.name.starts_with("tls-") && !x.value.empty())
      x.value = (path.parent_path() / x.value).lexically_normal().string();
  return result;
}

} // namespace stoker
