#include "storage/sqlite_snapshot.hpp"

#include <filesystem>
#include <system_error>

#include <SQLiteCpp/Statement.h>

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

std::vector<std::string> damage_in(SQLite::Database& database) {
  std::vector<std::string> result;
  SQLite::Statement integrity{database, "PRAGMA integrity_check"};
  while (integrity.executeStep()) {
    auto finding = integrity.getColumn(0).getString();
    if (finding != "ok")
      result.push_back("file: " + finding);
  }
  return result;
}

} // namespace stoker
