#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stoker::process {

// The few frames of Spark's RPC that a JVM and whoever started it exchange
// (org.apache.spark.network.protocol.MessageEncoder). Numbers are big-endian:
//
//     int64 length of all of it, uint8 type, and by type:
//     3, a request:   int64 id, int32 length of the body, body
//     4, an answer:   the same
//     9, one-way:     int32 length of the body, body

/// What a JVM asks here is a name: no frame needs to be longer.
inline constexpr std::size_t spark_frame_bytes_max = 64 * 1024;

struct SparkFrame {
  enum class Kind {
    /// More has to come.
    incomplete,
    /// It is not Spark, not for us, or too long.
    refused,
    request,
    one_way
  };

  Kind kind = Kind::incomplete;

  /// Of the frame, in bytes, if it is complete.
  std::size_t size = 0;

  /// Of a request: its answer names it.
  std::uint64_t request_id = 0;

  friend bool operator==(const SparkFrame&, const SparkFrame&) = default;
};

/// The first frame of what has been received so far. Refuses as early as possible.
SparkFrame first_spark_frame(std::string_view received);

/// The answer java.lang.Boolean `true`, as a frame.
std::string answer_true(std::uint64_t request_id);

} // namespace stoker::process
