#include "storage/data_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "process/private_directory.hpp"
#include "storage/file_system.hpp"

namespace stoker {

Result<DataDirectory> DataDirectory::open(const std::string& path,
                                          Missing missing) {
  auto failed = [&](const std::string& reason, Errc code = Errc::io) {
    return Error{code, "cannot use the data directory " + path + ": " + reason
                           + "; choose another with --data"};
  };
  auto in_use = [&] { return failed("another master has it", Errc::in_use); };
  std::error_code error;
  if (missing == Missing::refuse && !std::filesystem::exists(path, error))
    return Error{Errc::io, "the data directory " + path
                               + " was here and is gone; put it back, or start "
                                 "the master again to begin without it"};
  if (auto made = process::make_private_directories(path); made != 0)
    return failed(std::strerror(made));
  if (auto name = network_file_system_of(path))
    return failed("it is on a network file system (" + *name
                  + "), where locks and the database's log are not reliable");
  struct stat status {};
  struct stat link {};
  if (stat(path.c_str(), &status) != 0 || lstat(path.c_str(), &link) != 0)
    return failed(std::strerror(errno));
  for (auto owner : {link.st_uid, status.st_uid})
    if (owner != geteuid() && owner != 0)
      return failed("it belongs to another user, of id " + std::to_string(owner)
                    + ", who may change what is stored");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return Error{Errc::io, "others may write in the data directory " + path
                               + ", and so change what is stored; try chmod "
                                 "go-w "
                               + path};
  process::UniqueFd lock{::open((path + "/lock").c_str(),
                                O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                0600)};
  if (!lock)
    return failed(std::strerror(errno));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? in_use() : failed(std::strerror(errno));
  DataDirectory result{path, std::move(lock)};
  // Between opening and locking the file may have been replaced.
  if (!result.is_locked())
    return in_use();
  result.show_life();
  return result;
}

DataDirectory::DataDirectory(std::string path, process::UniqueFd lock)
    : path_(std::move(path)), lock_(std::move(lock)) {
}

void DataDirectory::show_life() {
  ++holder_.sign;
  // In one piece, so that nobody reads a part. What an earlier holder left may be
  // longer.
  auto line = to_string(holder_) + '\n';
  if (pwrite(lock_.get(), line.data(), line.size(), 0) > 0)
    static_cast<void>(ftruncate(lock_.get(), static_cast<off_t>(line.size()))
                      == 0);
}

void DataDirectory::put_lock_aside(const std::string& path) {
  ::unlink((path + "/lock").c_str());
}

bool DataDirectory::is_locked() const {
  struct stat ours {};
  struct stat present {};
  return fstat(lock_.get(), &ours) == 0
         && stat((path_ + "/lock").c_str(), &present) == 0
         && ours.st_dev == present.st_dev && ours.st_ino == present.st_ino;
}

} // namespace stoker
