#include "storage/sqlite_errors.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "storage/check_words.hpp"

namespace stoker {

namespace {

bool is_full(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT
         || system_error == EFBIG;
}

Error full(const std::string& path) {
  return {
      Errc::full,
      path
          + ": no space is left on its disk, or a quota is used up; what is "
            "stored is not lost: make room"};
}

Error failed(const std::string& path, const std::string& reason) {
  return {Errc::io, path + ": cannot be read or written: " + reason
                        + "; what is stored is not changed: see to the "
                          "disk and the permissions"};
}

/// What to do about a journal that holds what cannot be read.
std::string advice_for(const std::string& path) {
  auto directory = std::filesystem::path{path}.parent_path().string();
  return "nothing was changed: see 'stoker data check "
         + (directory.empty() ? "." : directory)
         + "', then repair it or restore a backup";
}

} // namespace

Error to_error(const SQLite::Exception& problem, const std::string& path,
               int system_error) {
  std::string reason = problem.what();
  // The primary code is the lowest byte of an extended one.
  switch (problem.getErrorCode() & 0xff) {
  case SQLITE_FULL:
    return full(path);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return failed(path, "another program keeps it locked (a shell of sqlite3 "
                        "in a transaction?)");
  // A table or column that is not there, or of another type.
  case SQLITE_ERROR:
  case SQLITE_CONSTRAINT:
  case SQLITE_CORRUPT:
  case SQLITE_FORMAT:
  case SQLITE_MISMATCH:
  case SQLITE_NOTADB:
  case SQLITE_RANGE:
    return corrupt_store(path, reason);
  default:
    break;
  }
  if (is_full(system_error))
    return full(path);
  if (system_error != 0)
    reason += std::string{", "} + std::strerror(system_error);
  return failed(path, reason);
}

Error corrupt_store(const std::string& path, const std::string& problem) {
  return {Errc::corrupt, path + ": " + problem + "; " + advice_for(path)};
}

Error seen_by_check(Error x, const std::string& path) {
  auto advice = advice_for(path);
  if (x.code == Errc::corrupt && x.message.ends_with(advice))
    x.message.replace(x.message.size() - advice.size(), advice.size(),
                      damage_advice);
  return x;
}

Error system_failure(const std::string& path, int system_error) {
  return is_full(system_error) ? full(path)
                               : failed(path, std::strerror(system_error));
}

} // namespace stoker
