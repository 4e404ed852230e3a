#pragma once

// The files of workers' identities: see storage/worker_identity.hpp.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/json.hpp"
#include "messages/result.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/worker/worker_records.hpp"

namespace stoker::identity_files {

/// Makes a directory that is closed to others, if there is none. The error does
/// not name the directory.
Status make_directory(const std::string& path);

/// Opens a file to be locked; programs do not inherit it. Empty when it cannot be
/// opened, as when its directory is not there.
process::UniqueFd open_lock(const std::string& path);

/// Names of directory entries that are numbers, in their order.
std::vector<int> numbers_in(const std::string& directory);

/// What a lock of an identity says of where it is: inode, device, and the kernel's number of
/// this boot. A copy says the same, and is somewhere else. Empty: it says nothing.
std::string noted_place(int lock);

/// Where it is.
std::string place_of(int lock);

/// Whether what says `noted` and is at `present` is a copy. Devices may have other numbers
/// after each boot.
bool is_copy(const std::string& noted, const std::string& present);

/// Has the lock say where it is, as far as the disk has room for that.
void note_place(int lock);

/// Replaces a file of the user's own as a whole or not at all. Fails with `Errc::full`
/// where the disk has no room.
Status replace_file(const std::string& path,
                    const boost::json::value& contents);

/// Writes over a file that is there, in the room that it has: for a disk that is full.
/// Fails with `Errc::full` where that is too little; the file is as it was then.
Status overwrite_file(const std::string& path,
                      const boost::json::value& contents);

/// Creates an empty file, if there is none.
Status create_file(const std::string& path);

/// Nothing: there is no such file.
Result<std::optional<boost::json::value>> read_json(const std::string& path);

/// Nothing: there is no such file. Fails if it cannot be understood.
template <class T>
Result<std::optional<T>> read_record(const std::string& path) {
  auto value = read_json(path);
  if (!value)
    return std::move(value).error();
  if (!*value)
    return std::optional<T>{};
  try {
    return std::optional{from_json<T>(**value)};
  } catch (const JsonError& e) {
    return Error{Errc::corrupt, "cannot read " + path + ": " + e.what()};
  }
}

/// Where the record of a program is kept.
std::string program_file(const std::string& directory, const std::string& key);

/// Files of records, by the program's key.
/// @throws std::system_error if the directory cannot be read now
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
