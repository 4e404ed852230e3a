#include "storage/file_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "process/private_directory.hpp"
#include "process/unique_fd.hpp"
#include "scheduling/common/command_files.hpp"
#include "scheduling/common/format.hpp"

namespace stoker {

namespace fs = std::filesystem;

namespace {

using process::UniqueFd;

constexpr const char* beginning_suffix = ".part";

std::int64_t counted(std::int64_t bytes) {
  return std::max(bytes, FileLimits::smallest);
}

Error failure(const std::string& what, int error) {
  return {error == ENOSPC || error == EDQUOT ? Errc::full : Errc::io,
          what + ": " + std::strerror(error)};
}

/// Returns 0 or `errno`.
int write_at(int fd, std::string_view data, std::int64_t offset) {
  while (!data.empty()) {
    auto n = ::pwrite(fd, data.data(), data.size(), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : ENOSPC;
    data.remove_prefix(static_cast<std::size_t>(n));
    offset += n;
  }
  return 0;
}

/// So much of it as there is. Returns 0 or `errno`.
int read_at(int fd, std::string& data, std::int64_t offset) {
  std::size_t have = 0;
  while (have < data.size()) {
    auto n = ::pread(fd, data.data() + have, data.size() - have,
                     offset + static_cast<std::int64_t>(have));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    if (n == 0)
      break;
    have += static_cast<std::size_t>(n);
  }
  data.resize(have);
  return 0;
}

/// Of content that was found; unset: it is not so long, or cannot be read.
std::optional<Sha256> sum_of(int fd, std::int64_t bytes) {
  Sha256 result;
  for (std::int64_t at = 0; at < bytes;) {
    std::string piece(
        static_cast<std::size_t>(std::min<std::int64_t>(
            bytes - at, static_cast<std::int64_t>(FileStore::part_bytes_max))),
        '\0');
    if (read_at(fd, piece, at) != 0 || piece.empty())
      return std::nullopt;
    result.add(piece);
    at += static_cast<std::int64_t>(piece.size());
  }
  return result;
}

void sync_directory(const std::string& path) {
  UniqueFd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (fd)
    ::fsync(fd.get());
}

/// What a directory has; nothing if it cannot be read.
std::vector<fs::directory_entry> entries_of(const fs::path& path,
                                            std::error_code& error) {
  std::vector<fs::directory_entry> result;
  for (fs::directory_iterator i{path, error}, end; !error && i != end;
       i.increment(error))
    result.push_back(*i);
  return result;
}

bool is_plain_file(const fs::directory_entry& x) {
  std::error_code error;
  return x.symlink_status(error).type() == fs::file_type::regular;
}

} // namespace

std::string file_owner(const std::string& identity) {
  constexpr std::size_t enough = 32;
  return sha256_of(identity).substr(0, enough);
}

FileStore::FileStore(FileStoreConfig config)
    : config_(std::move(config)), is_temporary_(config_.directory.empty()) {
}

FileStore::~FileStore() {
  std::error_code ignored;
  if (is_temporary_ && !config_.directory.empty())
    fs::remove_all(config_.directory, ignored);
}

Result<std::vector<FileKey>> FileStore::open(Instant now) {
  whole_.clear();
  beginnings_.clear();
  used_ = 0;
  std::vector<FileKey> result;
  std::error_code error;
  auto owners = config_.directory.empty()
                    ? std::vector<fs::directory_entry>{}
                    : entries_of(config_.directory, error);
  for (const auto& owner : owners) {
    if (owner.symlink_status(error).type() != fs::file_type::directory)
      continue;
    for (const auto& entry : entries_of(owner.path(), error)) {
      auto name = entry.path().filename().string();
      auto is_beginning = name.ends_with(beginning_suffix);
      if (is_beginning)
        name.resize(name.size() - std::strlen(beginning_suffix));
      if (!is_sha256(name) || !is_plain_file(entry))
        continue;
      auto bytes = static_cast<std::int64_t>(entry.file_size(error));
      FileKey key{owner.path().filename().string(), name};
      used_ += counted(bytes);
      if (is_beginning) {
        auto& found = beginnings_[key];
        found.bytes = found.stored = bytes;
        found.grown = now;
      } else {
        whole_[key] = bytes;
        result.push_back(std::move(key));
      }
    }
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return failure("cannot read " + config_.directory, error.value());
  return result;
}

// -- storing ------------------------------------------------------------------

Result<std::int64_t> FileStore::put(const FileKey& key, std::int64_t bytes,
                                    std::int64_t offset, std::string_view data,
                                    Instant now, FileShare share) {
  if (!is_sha256(key.sha256) || bytes < 0 || offset < 0
      || data.size() > part_bytes_max || offset > bytes
      || static_cast<std::int64_t>(data.size()) > bytes - offset)
    return invalid("this is no piece of a file");
  if (auto i = whole_.find(key); i != whole_.end()) {
    if (i->second != bytes)
      return invalid("the file with this sha256 has "
                     + std::to_string(i->second) + " bytes, not "
                     + std::to_string(bytes));
    return bytes;
  }
  auto i = beginnings_.find(key);
  if (i != beginnings_.end() && i->second.stored > bytes) {
    drop_beginning(key);
    i = beginnings_.end();
  }
  auto stored = i == beginnings_.end() ? 0 : i->second.stored;
  auto is_complete = stored == bytes;
  if (auto room = check_room(key, bytes, stored, share); !room)
    return std::move(room).error();
  if (!is_complete && (data.empty() || offset != stored))
    return stored;
  // One that was found may only have to be finished.
  if (is_complete)
    data = {};
  auto before = counted_of(key);
  auto& file = beginnings_[key];
  file.bytes = bytes;
  file.grown = now;
  auto status = append(key, file, data);
  if (status && file.stored == bytes)
    status = finish(key, file);
  if (!status)
    erase_beginning(key);
  used_ += counted_of(key) - before;
  if (!status)
    return std::move(status).error();
  return stored + static_cast<std::int64_t>(data.size());
}

Status FileStore::check_room(const FileKey& key, std::int64_t bytes,
                             std::int64_t stored, FileShare share) {
  const auto& limits = config_.limits;
  if (bytes > limits.file)
    return invalid("it has " + std::to_string(bytes)
                   + " bytes, and a file may have at most "
                   + std::to_string(limits.file)
                   + " (stoker.files.maxFileSize)");
  if (used_ - counted_of(key) + counted(bytes) > limits.all)
    return Error{Errc::full, "all files together may have at most "
                                 + std::to_string(limits.all)
                                 + " bytes; those that nothing needs go after "
                                   "an hour"};
  if (share == FileShare::half)
    if (auto room = check_share(key, bytes); !room)
      return room;
  if (limits.left_free <= 0)
    return {};
  if (auto made = make_directory(key.owner); !made)
    return made;
  struct statvfs disk {};
  if (::statvfs(config_.directory.c_str(), &disk) != 0)
    return failure("cannot look at the disk", errno);
  auto available = static_cast<std::int64_t>(disk.f_bavail)
                   * static_cast<std::int64_t>(disk.f_frsize);
  if (available < bytes - stored + limits.left_free)
    return Error{Errc::full,
                 "there is no room for it: "
                     + std::to_string(limits.left_free >> 20)
                     + " MB of the master's disk stay free for other things, "
                       "and "
                     + std::to_string(available >> 20) + " MB are"};
  return {};
}

Status FileStore::check_share(const FileKey& key, std::int64_t bytes) const {
  const auto all = config_.limits.all;
  const auto counted_before = counted_of(key);
  auto own = used_by(key.owner) - counted_before;
  if (own + counted(bytes) > all / 2)
    return Error{Errc::full,
                 "the files of one user may have at most half of all room, "
                     + std::to_string(all / 2)
                     + " bytes; those that nothing needs go after an hour"};
  // What has begun keeps its room.
  if (counted_before == 0 && own > all - used_)
    return Error{Errc::full,
                 "the files of one user may have no more than what is free, "
                     + std::to_string(all - used_)
                     + " bytes; those that nothing needs go after an hour"};
  return {};
}

Status FileStore::make_directory(const std::string& owner) {
  if (config_.directory.empty()) {
    std::error_code error;
    auto path
        = (fs::temp_directory_path(error) / "stoker-files-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
      return failure("cannot make a temporary directory",
                     error ? error.value() : errno);
    config_.directory = path;
  }
  auto path = config_.directory + '/' + owner;
  if (auto failed = process::make_private_directories(path); failed != 0)
    return failure("cannot make a directory for it", failed);
  return {};
}

Status FileStore::append(const FileKey& key, Beginning& file,
                         std::string_view data) {
  if (auto made = make_directory(key.owner); !made)
    return made;
  UniqueFd fd{::open((path_of(key) + beginning_suffix).c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!fd)
    return failure("cannot write it", errno);
  if (!file.sum) {
    file.sum = sum_of(fd.get(), file.stored);
    if (!file.sum)
      return Error{Errc::io, "its beginning cannot be read any more; send it "
                             "again"};
  }
  if (auto error = write_at(fd.get(), data, file.stored); error != 0)
    return failure("cannot write it", error);
  file.sum->add(data);
  file.stored += static_cast<std::int64_t>(data.size());
  if (file.stored == file.bytes && config_.synced && ::fdatasync(fd.get()) != 0)
    return failure("cannot write it", errno);
  return {};
}

Status FileStore::finish(const FileKey& key, Beginning& file) {
  if (file.sum->digest() != key.sha256)
    return invalid("what came is not what its sha256 says: it has changed on "
                   "its way; send it again");
  auto path = path_of(key);
  if (::rename((path + beginning_suffix).c_str(), path.c_str()) != 0)
    return failure("cannot write it", errno);
  if (config_.synced)
    sync_directory(config_.directory + '/' + key.owner);
  whole_[key] = file.bytes;
  beginnings_.erase(key);
  return {};
}

// -- what is stored -----------------------------------------------------------

std::optional<std::int64_t> FileStore::size(const FileKey& key) const {
  auto i = whole_.find(key);
  return i == whole_.end() ? std::nullopt : std::optional{i->second};
}

Result<std::string> FileStore::read(const FileKey& key, std::int64_t offset,
                                    std::int64_t limit) {
  auto bytes = size(key);
  if (!bytes)
    return Error{Errc::not_found, "the file is not here any more"};
  if (offset < 0 || offset > *bytes || limit < 0)
    return invalid("the file has " + std::to_string(*bytes) + " bytes");
  auto wanted = std::min(
      {limit, *bytes - offset, static_cast<std::int64_t>(part_bytes_max)});
  std::string result(static_cast<std::size_t>(wanted), '\0');
  UniqueFd fd{::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  auto error = fd ? read_at(fd.get(), result, offset) : errno;
  if (error == 0 && static_cast<std::int64_t>(result.size()) == wanted)
    return result;
  remove(key);
  return failure("the file cannot be read any more", error != 0 ? error : EIO);
}

std::string FileStore::path_of(const FileKey& key) const {
  return config_.directory + '/' + key.owner + '/' + key.sha256;
}

void FileStore::remove(const FileKey& key) {
  auto i = whole_.find(key);
  if (i == whole_.end())
    return;
  used_ -= counted(i->second);
  whole_.erase(i);
  ::unlink(path_of(key).c_str());
  remove_if_empty(key.owner);
}

void FileStore::drop_beginning(const FileKey& key) {
  auto before = counted_of(key);
  erase_beginning(key);
  used_ += counted_of(key) - before;
}

void FileStore::erase_beginning(const FileKey& key) {
  if (beginnings_.erase(key) == 0)
    return;
  ::unlink((path_of(key) + beginning_suffix).c_str());
  remove_if_empty(key.owner);
}

void FileStore::remove_if_empty(const std::string& owner) const {
  ::rmdir((config_.directory + '/' + owner).c_str());
}

void FileStore::remove_old_beginnings(Instant now) {
  std::vector<FileKey> old;
  for (const auto& [key, file] : beginnings_)
    if (file.grown + beginning_kept <= now)
      old.push_back(key);
  for (const auto& key : old)
    drop_beginning(key);
}

std::int64_t FileStore::used_by(const std::string& owner) const {
  std::int64_t result = 0;
  auto add = [&](const auto& files, auto size_of) {
    for (auto i = files.lower_bound({owner, {}});
         i != files.end() && i->first.owner == owner; ++i)
      result += counted(size_of(i->second));
  };
  add(whole_, [](std::int64_t bytes) { return bytes; });
  add(beginnings_, [](const Beginning& x) { return x.bytes; });
  return result;
}

std::int64_t FileStore::counted_of(const FileKey& key) const {
  std::int64_t result = 0;
  if (auto i = whole_.find(key); i != whole_.end())
    result += counted(i->second);
  if (auto i = beginnings_.find(key); i != beginnings_.end())
    result += counted(i->second.bytes);
  return result;
}

} // namespace stoker
