#include "storage/sqlite_snapshot.hpp"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <SQLiteCpp/Statement.h>

#include "storage/check_words.hpp"

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
    // What is wrong with the trees of pages comes as one text of many lines, below a
    // heading.
    std::istringstream findings{integrity.getColumn(0).getString()};
    for (std::string line; std::getline(findings, line);)
      if (line != "ok" && !line.starts_with("*** in database "))
        result.push_back(std::string{damage_prefix} + line);
  }
  return result;
}

} // namespace stoker
