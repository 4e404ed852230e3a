#include "embedding/result_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace stoker {

namespace {

constexpr std::size_t copy_bytes = std::size_t{256} * 1024;

Error problem(const char* what, const std::string& directory) {
  auto code = errno == ENOSPC || errno == EDQUOT ? Errc::full : Errc::io;
  return {code, std::string{"cannot "} + what + " results in " + directory
                    + ": " + std::strerror(errno)};
}

} // namespace

Status ResultStore::append(const TaskAttempt& id, std::string_view bytes) {
  if (bytes.empty())
    return {};
  std::lock_guard guard{mutex_};
  auto& pieces = results_[id];
  if (memory_ + bytes.size() > memory_bytes_max)
    return append_to_file(pieces, bytes);
  memory_ += bytes.size();
  pieces.push_back({std::string{bytes}, 0, bytes.size()});
  return {};
}

Status ResultStore::append_to_file(Pieces& pieces, std::string_view bytes) {
  if (!file_)
    file_ = process::UniqueFd{
        ::open(directory_.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600)};
  if (!file_)
    return problem("keep", directory_);
  pieces.push_back({{}, file_end_, bytes.size()});
  while (!bytes.empty()) {
    auto n = ::pwrite(file_.get(), bytes.data(), bytes.size(),
                      static_cast<off_t>(file_end_));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return problem("keep", directory_);
    file_end_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

ResultStore::Pieces ResultStore::extract(const TaskAttempt& id) {
  std::lock_guard guard{mutex_};
  auto found = results_.extract(id);
  return found ? std::move(found.mapped()) : Pieces{};
}

void ResultStore::free(const Piece& piece) {
  std::lock_guard guard{mutex_};
  if (!piece.bytes.empty())
    memory_ -= piece.bytes.size();
  else if (piece.size > 0)
    // A file system that cannot do this keeps it until the end.
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(piece.offset),
                static_cast<off_t>(piece.size));
}

void ResultStore::drop(const TaskAttempt& id) {
  for (const auto& piece : extract(id))
    free(piece);
}

Status ResultStore::take(const TaskAttempt& id,
                         const std::function<Status(std::string_view)>& take) {
  std::vector<char> buffer;
  for (const auto& piece : extract(id)) {
    if (!piece.bytes.empty()) {
      if (auto taken = take(piece.bytes); !taken)
        return taken;
    } else {
      buffer.resize(copy_bytes);
      for (std::uint64_t done = 0; done < piece.size;) {
        auto n = ::pread(file_.get(), buffer.data(),
                         static_cast<std::size_t>(std::min<std::uint64_t>(
                             buffer.size(), piece.size - done)),
                         static_cast<off_t>(piece.offset + done));
        if (n < 0 && errno == EINTR)
          continue;
        if (n <= 0)
          return problem("read", directory_);
        if (auto taken = take({buffer.data(), static_cast<std::size_t>(n)});
            !taken)
          return taken;
        done += static_cast<std::uint64_t>(n);
      }
    }
    free(piece);
  }
  return {};
}

} // namespace stoker
