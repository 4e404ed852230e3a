#include "jobs/spill_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "executor/file_writing.hpp"

namespace stoker::jobs {

namespace {

std::string spilled_to(const std::string& directory) {
  return "what does not fit in memory to a file in " + directory;
}

} // namespace

SpillFile::SpillFile(std::string directory) : directory_(std::move(directory)) {
}

Status SpillFile::append(std::string_view bytes) {
  if (!file_) {
    file_ = executor::open_unnamed_file(directory_);
    if (!file_)
      return executor::cannot_write(spilled_to(directory_), errno);
  }
  auto written
      = executor::write_to_file(file_.get(), bytes, spilled_to(directory_));
  if (written)
    end_ += bytes.size();
  return written;
}

Status SpillFile::read(std::uint64_t offset, char* to, std::size_t size) const {
  while (size > 0) {
    auto n = ::pread(file_.get(), to, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return Error{Errc::io,
                   "cannot read what did not fit in memory from a file in "
                       + directory_ + ": "
                       + std::strerror(n == 0 ? EIO : errno)};
    offset += static_cast<std::uint64_t>(n);
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

void SpillFile::free(std::uint64_t offset, std::uint64_t size) {
  if (size > 0)
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(offset), static_cast<off_t>(size));
}

} // namespace stoker::jobs
