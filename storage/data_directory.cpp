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

std::variant<DataDirectory, std::string>
DataDirectory::open(const std::string& path) {
  auto failed = [&](const std::string& reason) {
    return "cannot use the data directory " + path + ": " + reason
           + "; choose another with --data";
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
    auto reason
        = errno == EWOULDBLOCK ? "another master has it" : std::strerror(errno);
    close(lock);
    return failed(reason);
  }
  return DataDirectory{path, lock};
}

DataDirectory::DataDirectory(std::string path, int lock)
    : path_(std::move(path)), lock_(lock) {
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {
}

DataDirectory::~DataDirectory() {
  // The lock ends with the file's last descriptor. The file stays: removing it
  // would let two masters lock two files of one name.
  if (lock_ >= 0)
    close(lock_);
}

} // namespace stoker
