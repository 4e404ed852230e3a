#include "storage/sqlite_snapshot.hpp"

#include <filesystem>
#include <system_error>

namespace stoker {

std::string immutable_uri(const std::string& path) {
  std::string result = "file:";
  for (auto c : path)
    if (c == '%')
      result += "%25";
    else if (c == '?')
      result += "%3f";
    else if (c == '#')
      result += "%23";
    else
      result += c;
  return result + "?immutable=1";
}

bool has_log(const std::string& path) {
  std::error_code error;
  auto size = std::filesystem::file_size(path + "-wal", error);
  return !error && size > 0;
}

} // namespace stoker
