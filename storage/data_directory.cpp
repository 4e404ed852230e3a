#include "storage/data_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace stoker {

std::variant<DataDirectory, DataDirectory::Problem>
DataDirectory::open(const std::string& path) {
  auto failed = [&](const std::string& reason, bool in_use = false) {
    return Problem{"cannot use the data directory " + path + ": " + reason
                       + "; choose another with --data",
                   in_use};
  };
  std::error_code error;
  auto created = std::filesystem::create_directories(path, error);
  if (error)
    return failed(error.message());
  if (created && chmod(path.c_str(), 0700) != 0)
    return failed(std::strerror(errno));
  auto lock = ::open((path + "/lock").c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0)
    return failed(std::strerror(errno));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    auto in_use = errno == EWOULDBLOCK;
    auto reason = in_use ? "another master has it" : std::strerror(errno);
    close(lock);
    return failed(reason, in_use);
  }
  DataDirectory result{path, lock};
  // Between opening and locking the file may have been replaced.
  if (!result.is_locked())
    return failed("another master has it", true);
  return result;
}

DataDirectory::DataDirectory(std::string path, int lock)
    : path_(std::move(path)), lock_(lock) {
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {
}

bool DataDirectory::is_locked() const {
  struct stat ours {};
  struct stat present {};
  return fstat(lock_, &ours) == 0
         && stat((path_ + "/lock").c_str(), &present) == 0
         && ours.st_dev == present.st_dev && ours.st_ino == present.st_ino;
}

DataDirectory::~DataDirectory() {
  // The lock ends with the file's last descriptor. The file stays: removing it
  // would let two masters lock two files of one name.
  if (lock_ >= 0)
    close(lock_);
}

} // namespace stoker
