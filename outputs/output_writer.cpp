#include "outputs/output_writer.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "outputs/output_index.hpp"
#include "outputs/output_names.hpp"
#include "outputs/output_reservation.hpp"
#include "outputs/write_errors.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

namespace {

/// So much is collected before it is written.
constexpr std::size_t write_buffer_bytes = std::size_t{256} << 10;

Status write_all(int fd, std::span<const char> bytes, const std::string& what) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return write_error(what, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

} // namespace

struct OutputWriter::State {
  std::filesystem::path directory;
  OutputIndex index;
  OutputReservation reservation;
  process::UniqueFd data;

  /// Of a file that is not finished; empty: it is not there (any more).
  std::string data_path;
  std::string index_path;

  std::vector<char> buffer;
  std::uint64_t written = 0;
  std::uint64_t bytes = 0;

  /// Of the partition that was last added to.
  std::size_t current = 0;
  Checksum checksum;
  bool failed = false;

  ~State() {
    for (const auto& path : {index_path, data_path})
      if (!path.empty())
        ::unlink(path.c_str());
  }

  [[nodiscard]] std::string doing() const {
    return "cannot write the output of " + to_string(index.attempt) + " to "
           + directory.string();
  }

  Status reserve(std::uint64_t more) {
    auto good = reservation.grow_to(bytes + more);
    if (!good)
      return Error{good.code(), doing() + ": " + good.error().message};
    return good;
  }

  Status flush() {
    if (auto good = write_all(data.get(), buffer, doing()); !good)
      return good;
    written += buffer.size();
    buffer.clear();
    return {};
  }

  /// Goes on to a partition: those between are empty.
  void begin(int partition) {
    assert(partition >= 0);
    auto next = static_cast<std::size_t>(partition);
    assert(next >= current && next < index.partitions.size());
    if (next == current)
      return;
    index.partitions[current].checksum = checksum.value();
    while (current != next)
      index.partitions[++current].offset = bytes;
    checksum = {};
  }

  Status add(int partition, std::span<const char> more) {
    begin(partition);
    if (auto good = reserve(more.size()); !good)
      return good;
    checksum.add(more);
    bytes += more.size();
    index.partitions[current].bytes += more.size();
    if (buffer.size() + more.size() > write_buffer_bytes)
      if (auto good = flush(); !good)
        return good;
    if (more.size() >= write_buffer_bytes) {
      written += more.size();
      return write_all(data.get(), more, doing());
    }
    buffer.insert(buffer.end(), more.begin(), more.end());
    return {};
  }

  /// Bytes of another file, as far as the kernel copies them in one go. 0: there
  /// are no more. Some file systems copy only what a pipe could take.
  [[nodiscard]] ssize_t copy_some(int fd, off_t& offset,
                                  std::size_t count) const {
    auto n = ::copy_file_range(fd, &offset, data.get(), nullptr, count, 0);
    if (n < 0
        && (errno == EXDEV || errno == EINVAL || errno == ENOSYS
            || errno == EOPNOTSUPP))
      n = ::sendfile(data.get(), fd, &offset, count);
    return n;
  }

  Status copy(int partition, int fd, std::uint64_t offset,
              std::uint64_t count) {
    begin(partition);
    if (auto good = reserve(count); !good)
      return good;
    if (auto good = flush(); !good)
      return good;
    bytes += count;
    written += count;
    index.partitions[current].bytes += count;
    auto at = static_cast<off_t>(offset);
    while (count > 0) {
      auto n = copy_some(fd, at, count);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return write_error(doing(), errno);
      if (n == 0)
        return Error{Errc::corrupt, doing() + ": what was set aside is gone"};
      count -= static_cast<std::uint64_t>(n);
    }
    return {};
  }

  Status finish() {
    if (auto good = flush(); !good)
      return good;
    if (!index.partitions.empty()) {
      begin(static_cast<int>(index.partitions.size()) - 1);
      index.partitions[current].checksum = checksum.value();
    }
    assert(written == bytes && index.data_bytes() == bytes);
    index_path = directory
                 / unfinished_file_name(index.exec_id, index.attempt, "index");
    process::UniqueFd fd{::open(index_path.c_str(),
                                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!fd)
      return write_error(doing(), errno);
    auto content = to_bytes(index);
    if (auto good = reserve(content.size()); !good)
      return good;
    if (auto good = write_all(fd.get(), content, doing()); !good)
      return good;
    return publish(content.size());
  }

  Status publish(std::uint64_t index_bytes) {
    auto data_name = (directory / data_file_name(index.attempt)).string();
    auto index_name = (directory / index_file_name(index.attempt)).string();
    if (std::rename(data_path.c_str(), data_name.c_str()) != 0)
      return write_error(doing(), errno);
    // If the index cannot follow, the data go, too.
    data_path = data_name;
    if (std::rename(index_path.c_str(), index_name.c_str()) != 0)
      return write_error(doing(), errno);
    data_path.clear();
    index_path.clear();
    reservation.keep(bytes + index_bytes);
    return {};
  }
};

OutputWriter::OutputWriter(std::unique_ptr<State> state)
    : state_(std::move(state)) {
}

OutputWriter::OutputWriter(OutputWriter&& other) noexcept = default;

OutputWriter::~OutputWriter() = default;

Result<OutputWriter> OutputWriter::open(const std::filesystem::path& directory,
                                        const TaskAttempt& attempt, int exec_id,
                                        int partitions) {
  if (partitions < 1 || static_cast<std::size_t>(partitions) > partitions_max)
    return invalid("an output has 1 to " + std::to_string(partitions_max)
                   + " partitions, not " + std::to_string(partitions));
  auto reservation = OutputReservation::open(directory, exec_id);
  if (!reservation)
    return std::move(reservation).error();
  std::unique_ptr<State> state{new State{
      directory, OutputIndex{attempt, exec_id, {}}, *std::move(reservation)}};
  state->index.partitions.resize(static_cast<std::size_t>(partitions));
  auto path
      = (directory / unfinished_file_name(exec_id, attempt, "data")).string();
  state->data = process::UniqueFd{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!state->data)
    return write_error(state->doing(), errno);
  state->data_path = path;
  return OutputWriter{std::move(state)};
}

Status OutputWriter::append(int partition, std::span<const char> bytes) {
  assert(!state_->failed);
  auto good = state_->add(partition, bytes);
  state_->failed = !good;
  return good;
}

Status OutputWriter::append_from(int partition, int fd, std::uint64_t offset,
                                 std::uint64_t bytes) {
  assert(!state_->failed);
  auto good = state_->copy(partition, fd, offset, bytes);
  state_->failed = !good;
  return good;
}

void OutputWriter::set_checksum(int partition, const Checksum& checksum) {
  state_->begin(partition);
  state_->checksum = checksum;
}

Result<std::vector<std::uint64_t>> OutputWriter::commit() {
  if (state_->failed || state_->data_path.empty())
    return invalid(state_->doing() + ": it has failed, or is committed");
  if (auto good = state_->finish(); !good) {
    state_->failed = true;
    return std::move(good).error();
  }
  std::vector<std::uint64_t> result;
  result.reserve(state_->index.partitions.size());
  for (const auto& entry : state_->index.partitions)
    result.push_back(entry.bytes);
  return result;
}

} // namespace stoker
