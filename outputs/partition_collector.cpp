#include "outputs/partition_collector.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <string>
#include <utility>

#include "outputs/checksum.hpp"
#include "outputs/output_names.hpp"
#include "outputs/output_reservation.hpp"
#include "outputs/output_writer.hpp"
#include "outputs/write_errors.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

struct PartitionCollector::State {
  /// A part of a partition in the spill file.
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  struct Partition {
    std::vector<Part> spilled;
    std::vector<char> buffer;
    Checksum checksum;
  };

  OutputWriter writer;
  OutputReservation reservation;
  process::UniqueFd spill;
  std::string doing;
  std::size_t buffer_bytes;
  std::vector<Partition> partitions;
  std::uint64_t spilled = 0;
  bool failed = false;

  Status spill_bytes(Partition& to, std::span<const char> bytes) {
    if (auto good = reservation.grow_to(spilled + bytes.size()); !good)
      return Error{good.code(), doing + ": " + good.error().message};
    // Parts that follow each other are one.
    if (!to.spilled.empty()
        && to.spilled.back().offset + to.spilled.back().bytes == spilled)
      to.spilled.back().bytes += bytes.size();
    else if (!bytes.empty())
      to.spilled.push_back({spilled, bytes.size()});
    spilled += bytes.size();
    while (!bytes.empty()) {
      auto n = ::write(spill.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return write_error(doing, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
  }

  Status add(Partition& to, std::span<const char> bytes) {
    to.checksum.add(bytes);
    if (to.buffer.size() + bytes.size() > buffer_bytes) {
      if (auto good = spill_bytes(to, to.buffer); !good)
        return good;
      to.buffer.clear();
    }
    if (bytes.size() > buffer_bytes)
      return spill_bytes(to, bytes);
    if (to.buffer.capacity() == 0)
      to.buffer.reserve(buffer_bytes);
    to.buffer.insert(to.buffer.end(), bytes.begin(), bytes.end());
    return {};
  }

  Status put_together() {
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      auto& partition = partitions[i];
      auto number = static_cast<int>(i);
      for (const auto& part : partition.spilled)
        if (auto good
            = writer.append_from(number, spill.get(), part.offset, part.bytes);
            !good)
          return good;
      if (auto good = writer.append(number, partition.buffer); !good)
        return good;
      writer.set_checksum(number, partition.checksum);
      partition = {};
    }
    return {};
  }
};

PartitionCollector::PartitionCollector(std::unique_ptr<State> state)
    : state_(std::move(state)) {
}

PartitionCollector::PartitionCollector(
    PartitionCollector&& other) noexcept = default;

PartitionCollector::~PartitionCollector() = default;

Result<PartitionCollector>
PartitionCollector::open(const std::filesystem::path& directory,
                         const TaskAttempt& attempt, int exec_id,
                         int partitions, std::size_t buffer_bytes) {
  assert(buffer_bytes > 0);
  auto writer = OutputWriter::open(directory, attempt, exec_id, partitions);
  if (!writer)
    return std::move(writer).error();
  auto reservation = OutputReservation::open(directory, exec_id);
  if (!reservation)
    return std::move(reservation).error();
  std::unique_ptr<State> state{
      new State{*std::move(writer),
                *std::move(reservation),
                {},
                "cannot set aside what " + to_string(attempt) + " writes in "
                    + directory.string(),
                buffer_bytes}};
  auto path
      = (directory / unfinished_file_name(exec_id, attempt, "spill")).string();
  state->spill = process::UniqueFd{
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!state->spill)
    return write_error(state->doing, errno);
  // Nobody else reads it, and so it cannot outlive this process.
  ::unlink(path.c_str());
  state->partitions.resize(static_cast<std::size_t>(partitions));
  return PartitionCollector{std::move(state)};
}

Status PartitionCollector::add(int partition, std::span<const char> bytes) {
  assert(!state_->failed);
  auto index = static_cast<std::size_t>(partition);
  assert(partition >= 0 && index < state_->partitions.size());
  auto good = state_->add(state_->partitions[index], bytes);
  state_->failed = !good;
  return good;
}

Result<std::vector<std::uint64_t>> PartitionCollector::commit() {
  if (state_->failed)
    return invalid(state_->doing + ": it has failed");
  if (auto good = state_->put_together(); !good) {
    state_->failed = true;
    return std::move(good).error();
  }
  auto result = state_->writer.commit();
  state_->failed = !result;
  // The file goes, and so does what it counted.
  state_->spill.reset();
  state_->reservation.keep(0);
  return result;
}

std::uint64_t PartitionCollector::spilled_bytes() const noexcept {
  return state_->spilled;
}

} // namespace stoker
