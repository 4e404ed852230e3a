#pragma once

// The files of workers' identities: see storage/worker_identity.hpp.

#include <unistd.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "messages/json.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker::identity_files {

/// Closes a file at its end.
struct Descriptor {
  int fd = -1;

  explicit Descriptor(int x) : fd(x) {
  }
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

/// Makes a directory that is closed to others, if there is none. Returns what is
/// wrong, or nothing.
std::optional<std::string> make_directory(const std::string& path);

/// Opens a file to be locked; programs do not inherit it. Returns -1 when it
/// cannot be opened, as when its directory is not there.
int open_lock(const std::string& path);

/// Names of directory entries that are numbers, in their order.
std::vector<int> numbers_in(const std::string& directory);

/// Replaces a file of the user's own as a whole or not at all. Returns what is
/// wrong, in one line, or nothing.
std::optional<std::string> replace_file(const std::string& path,
                                        const boost::json::value& contents);

/// Creates an empty file, if there is none.
std::optional<std::string> create_file(const std::string& path);

/// @throws std::runtime_error if there is a file that is not JSON.
std::optional<boost::json::value> read_json(const std::string& path);

/// Nothing: there is no such file.
/// @throws std::runtime_error in one line, if it cannot be understood.
template <class T>
std::optional<T> read_record(const std::string& path) {
  auto value = read_json(path);
  if (!value)
    return std::nullopt;
  try {
    return from_json<T>(*value);
  } catch (const JsonError& e) {
    throw std::runtime_error{"cannot read " + path + ": " + e.what()};
  }
}

/// Where the record of a program is kept.
std::string program_file(const std::string& directory, const std::string& key);

/// Files of records, by the program's key.
std::map<std::string, std::string> programs_in(const std::string& directory);

/// As much as a key tells of a program, so that it can be ended.
ProgramRecord program_of_nobody(const std::string& key,
                                const std::string& work_directory);

/// Names of files; those that were created first come first.
std::vector<std::string> oldest_first(const std::string& directory);

/// Moves all files of a directory into another one, in place of files of the
/// same names there.
void move_files(const std::string& from, const std::string& to);

/// Removes a directory with all that is in it, as far as that goes.
void remove_directory(const std::string& path);

} // namespace stoker::identity_files
