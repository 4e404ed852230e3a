#include "executor/line_router.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "executor/key_hash.hpp"

namespace stoker::executor {

namespace {

constexpr std::size_t batch_bytes_most = std::size_t{64} * 1024;
constexpr std::size_t batch_bytes_least = std::size_t{1} * 1024;
constexpr std::size_t all_batches_bytes = std::size_t{8} * 1024 * 1024;

/// Where `byte` is in `text`; its size if it is not there.
std::size_t find(std::string_view text, char byte) noexcept {
  const auto* found
      = static_cast<const char*>(std::memchr(text.data(), byte, text.size()));
  return found ? static_cast<std::size_t>(found - text.data()) : text.size();
}

} // namespace

std::int32_t partition_of(std::string_view key,
                          std::int32_t partitions) noexcept {
  auto product = (hash_key(key) >> 32) * static_cast<std::uint64_t>(partitions);
  return static_cast<std::int32_t>(product >> 32);
}

std::size_t batch_bytes_of(std::int32_t partitions) noexcept {
  return std::clamp(all_batches_bytes / static_cast<std::size_t>(partitions),
                    batch_bytes_least, batch_bytes_most);
}

LineRouter::LineRouter(Routing routing,
                       std::shared_ptr<PartitionSink> partitions)
    : routing_(routing), partitions_(std::move(partitions)),
      batch_bytes_(batch_bytes_of(routing.partitions)),
      batches_(static_cast<std::size_t>(routing.partitions)) {
  assert(routing.partitions > 0);
  assert(routing.first >= 0 && routing.first < routing.partitions);
}

Status LineRouter::append(std::string_view bytes) {
  if (routing_.partitions == 1)
    return append_to_only_partition(bytes);
  while (!bytes.empty()) {
    auto status = in_line_        ? continue_line(bytes)
                  : !key_.empty() ? continue_key(bytes)
                                  : route_lines(bytes);
    if (!status)
      return status;
  }
  return {};
}

Status LineRouter::finish() {
  if (!key_.empty()) {
    auto partition = partition_of(key_, routing_.partitions);
    if (auto status = put(partition, key_); !status)
      return status;
    line_partition_ = partition;
    in_line_ = true;
  }
  if (in_line_)
    if (auto status = put(line_partition_, "\n"); !status)
      return status;
  in_line_ = false;
  key_.clear();
  for (std::int32_t i = 0; i < routing_.partitions; ++i)
    if (auto status = pass_on(i); !status)
      return status;
  return partitions_->finish();
}

Status LineRouter::append_to_only_partition(std::string_view bytes) {
  if (bytes.empty())
    return {};
  in_line_ = bytes.back() != '\n';
  return put(0, bytes);
}

Status LineRouter::route_lines(std::string_view& bytes) {
  for (;;) {
    auto length = find(bytes, '\n');
    if (length == bytes.size())
      break;
    auto line = bytes.substr(0, length);
    std::int32_t partition = 0;
    if (routing_.by == RouteBy::round_robin) {
      partition = next_in_turn();
    } else {
      auto key = line.substr(0, key_bytes_max);
      partition
          = partition_of(key.substr(0, find(key, '\t')), routing_.partitions);
    }
    if (auto status = put(partition, bytes.substr(0, length + 1)); !status)
      return status;
    bytes.remove_prefix(length + 1);
    if (bytes.empty())
      return {};
  }
  if (routing_.by == RouteBy::key)
    return continue_key(bytes);
  in_line_ = true;
  line_partition_ = next_in_turn();
  return {};
}

Status LineRouter::continue_line(std::string_view& bytes) {
  auto length = find(bytes, '\n');
  in_line_ = length == bytes.size();
  auto piece = bytes.substr(0, in_line_ ? length : length + 1);
  bytes.remove_prefix(piece.size());
  return put(line_partition_, piece);
}

Status LineRouter::continue_key(std::string_view& bytes) {
  auto more = bytes.substr(0, key_bytes_max - key_.size());
  auto end = find(more.substr(0, find(more, '\n')), '\t');
  key_.append(more.substr(0, end));
  bytes.remove_prefix(end);
  if (end == more.size() && key_.size() < key_bytes_max)
    return {};
  in_line_ = true;
  line_partition_ = partition_of(key_, routing_.partitions);
  auto status = put(line_partition_, key_);
  key_.clear();
  return status;
}

Status LineRouter::put(std::int32_t partition, std::string_view bytes) {
  auto& batch = batches_[static_cast<std::size_t>(partition)];
  if (!batch.bytes || bytes.size() > batch_bytes_ - batch.size)
    return put_large(partition, bytes);
  std::memcpy(batch.bytes.get() + batch.size, bytes.data(), bytes.size());
  batch.size += bytes.size();
  return {};
}

Status LineRouter::put_large(std::int32_t partition, std::string_view bytes) {
  if (auto status = pass_on(partition); !status)
    return status;
  if (bytes.size() >= batch_bytes_)
    return partitions_->append(partition, bytes);
  auto& batch = batches_[static_cast<std::size_t>(partition)];
  if (!batch.bytes)
    batch.bytes.reset(new char[batch_bytes_]);
  std::memcpy(batch.bytes.get(), bytes.data(), bytes.size());
  batch.size = bytes.size();
  return {};
}

Status LineRouter::pass_on(std::int32_t partition) {
  auto& batch = batches_[static_cast<std::size_t>(partition)];
  auto size = std::exchange(batch.size, 0);
  return size == 0 ? Status{}
                   : partitions_->append(partition, {batch.bytes.get(), size});
}

std::int32_t LineRouter::next_in_turn() noexcept {
  auto result = routing_.first;
  routing_.first = result + 1 == routing_.partitions ? 0 : result + 1;
  return result;
}

} // namespace stoker::executor
