#include "tools/stoker/output_spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "executor/file_writing.hpp"

namespace stoker {

namespace {

constexpr std::int64_t copy_bytes = std::int64_t{64} * 1024;

/// In front of each piece.
struct Record {
  /// Where the instance's next record begins; 0: there is none so far.
  std::int64_t next = 0;
  std::int64_t size = 0;
  std::int64_t standard_error = 0;
};
constexpr auto record_bytes = static_cast<std::int64_t>(sizeof(Record));

std::string spool_name(const std::string& directory) {
  return "the output that waits for its turn, in " + directory;
}

/// Returns an `errno` value, or 0.
int write_at(int file, const void* bytes, std::int64_t size,
             std::int64_t offset) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    auto n = ::pwrite(file, from, static_cast<std::size_t>(size), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return errno;
    from += n;
    size -= n;
    offset += n;
  }
  return 0;
}

int read_at(int file, void* bytes, std::int64_t size, std::int64_t offset) {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    auto n = ::pread(file, to, static_cast<std::size_t>(size), offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n < 0 ? errno : EIO;
    to += n;
    size -= n;
    offset += n;
  }
  return 0;
}

} // namespace

Status OutputSpool::append(int index, bool standard_error,
                           std::string_view bytes) {
  if (bytes.empty())
    return {};
  if (!file_)
    file_ = executor::open_unnamed_file(directory_);
  if (!file_)
    return executor::cannot_write(spool_name(directory_), errno);
  // No record begins at 0, which means that there is none.
  auto at = std::max<std::int64_t>(end_, 1);
  Record record{0, static_cast<std::int64_t>(bytes.size()),
                standard_error ? 1 : 0};
  auto failed = write_at(file_.get(), &record, record_bytes, at);
  if (failed == 0)
    failed
        = write_at(file_.get(), bytes.data(), record.size, at + record_bytes);
  auto chain = chains_.find(index);
  // A record counts when the one before it names it.
  if (failed == 0 && chain != chains_.end())
    failed = write_at(file_.get(), &at, sizeof at, chain->second.last);
  if (failed != 0)
    return executor::cannot_write(spool_name(directory_), failed);
  end_ = at + record_bytes + record.size;
  if (chain == chains_.end())
    chains_[index] = {at, at};
  else
    chain->second.last = at;
  return {};
}

Status OutputSpool::take(
    int index,
    const std::function<void(bool standard_error, std::string_view)>& write) {
  auto chain = chains_.extract(index);
  if (chain.empty())
    return {};
  std::string buffer;
  auto failed = 0;
  for (auto at = chain.mapped().first; at != 0 && failed == 0;) {
    Record record;
    failed = read_at(file_.get(), &record, record_bytes, at);
    for (std::int64_t done = 0; done < record.size && failed == 0;) {
      auto size = std::min(copy_bytes, record.size - done);
      buffer.resize(static_cast<std::size_t>(size));
      failed
          = read_at(file_.get(), buffer.data(), size, at + record_bytes + done);
      if (failed == 0)
        write(record.standard_error != 0, buffer);
      done += size;
    }
    // A file system that cannot do this keeps the space until nothing waits.
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                record_bytes + record.size);
    at = record.next;
  }
  if (chains_.empty() && ::ftruncate(file_.get(), 0) == 0)
    end_ = 0;
  if (failed == 0)
    return {};
  return Error{Errc::io, "cannot read " + spool_name(directory_) + ": "
                             + std::generic_category().message(failed)};
}

} // namespace stoker
