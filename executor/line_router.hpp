#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "executor/output_sink.hpp"

namespace stoker::executor {

/// Where the lines of each partition go.
class PartitionSink {
public:
  PartitionSink() = default;
  virtual ~PartitionSink() = default;

  PartitionSink(const PartitionSink&) = delete;
  PartitionSink& operator=(const PartitionSink&) = delete;

  /// Takes bytes, which follow those of the same partition. May wait. An error fails
  /// the task.
  /// @param partition From 0.
  virtual Status append(std::int32_t partition, std::string_view bytes) = 0;

  /// That was all, of all partitions. An error fails the task.
  virtual Status finish() = 0;
};

enum class RouteBy {
  /// Lines with the same key go to the same partition. The key is the line up to its
  /// first tab, or all of it, without the newline; of a longer key its first
  /// `key_bytes_max` bytes.
  key,
  /// Each line goes to the partition behind that of the line before.
  round_robin,
};

struct Routing {
  RouteBy by = RouteBy::key;

  /// At least 1.
  std::int32_t partitions = 1;

  /// Where the first line goes, if they go round-robin. Tasks that begin at different
  /// partitions fill them evenly, and one that begins again at the same does the same.
  std::int32_t first = 0;
};

inline constexpr std::size_t key_bytes_max = std::size_t{64} * 1024;

/// The partition of a key, on all machines: the upper half of `hash_key`, times
/// `partitions`, divided by 2^32.
std::int32_t partition_of(std::string_view key,
                          std::int32_t partitions) noexcept;

/// How many bytes of a partition are collected before they are passed on: 64 KiB, and less
/// from 128 partitions on (8 MiB for all), but at least 1 KiB.
std::size_t batch_bytes_of(std::int32_t partitions) noexcept;

/// Distributes the lines of a program's output to partitions. A last line without a
/// newline gets one. Lines may have any bytes and any length: a long one goes to its
/// partition in pieces.
class LineRouter : public OutputSink {
public:
  LineRouter(Routing routing, std::shared_ptr<PartitionSink> partitions);

  Status append(std::string_view bytes) override;
  Status finish() override;

private:
  /// What is collected for a partition before it is passed on.
  struct Batch {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  Status append_to_only_partition(std::string_view bytes);
  /// Routes whole lines. Removes them from `bytes`.
  Status route_lines(std::string_view& bytes);
  /// Goes on with a line whose partition is known.
  Status continue_line(std::string_view& bytes);
  /// Goes on with a line whose partition is not known.
  Status continue_key(std::string_view& bytes);
  Status put(std::int32_t partition, std::string_view bytes);
  Status put_large(std::int32_t partition, std::string_view bytes);
  Status pass_on(std::int32_t partition);
  std::int32_t next_in_turn() noexcept;

  Routing routing_;
  std::shared_ptr<PartitionSink> partitions_;
  std::size_t batch_bytes_;
  std::vector<Batch> batches_;

  /// The begin of a line whose key has not ended.
  std::string key_;
  /// A line has begun, and its partition is `line_partition_`.
  bool in_line_ = false;
  std::int32_t line_partition_ = 0;
};

} // namespace stoker::executor
