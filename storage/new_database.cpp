#include "storage/new_database.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "process/unique_fd.hpp"
#include "storage/sqlite_errors.hpp"

namespace stoker {

namespace {

using process::UniqueFd;

/// Makes the names in a directory last.
void sync_directory_of(const std::string& path) {
  auto directory = std::filesystem::path{path}.parent_path().string();
  UniqueFd file{open(directory.empty() ? "." : directory.c_str(),
                     O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!file || fsync(file.get()) != 0)
    throw StoreFailure{system_failure(path, errno)};
}

} // namespace

NewDatabase::NewDatabase(const std::string& path)
    : path_(path), file_(path + ".XXXXXX") {
  UniqueFd made{mkostemp(file_.data(), O_CLOEXEC)};
  if (!made)
    throw StoreFailure{system_failure(path, errno)};
}

NewDatabase::~NewDatabase() {
  for (const auto* suffix : {"", "-journal", "-wal", "-shm"})
    unlink((file_ + suffix).c_str());
}

bool NewDatabase::publish() {
  // Unlike rename(2), this fails when the name is taken.
  auto is_new = link(file_.c_str(), path_.c_str()) == 0;
  if (!is_new && errno != EEXIST)
    throw StoreFailure{system_failure(path_, errno)};
  sync_directory_of(path_);
  return is_new;
}

} // namespace stoker
