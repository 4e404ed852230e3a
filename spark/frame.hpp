#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker::spark {

// What a TCP connection of Spark carries in both directions (Spark's network-common,
// MessageEncoder), all numbers with the highest byte first:
//
//     int64 length    of all of the frame, with these eight bytes
//     int8  type
//     int64 request   not of a one-way message
//     int32 length    of the body
//     body

/// Those of Spark's frames that masters and workers send; the others move blocks.
enum class FrameType : std::uint8_t {
  /// A question: the answer has the same request.
  rpc_request = 3,
  rpc_response = 4,
  /// The body is text that says why there is no answer.
  rpc_failure = 5,
  one_way_message = 9,
};

/// Spark's name of it.
const char* to_string(FrameType x) noexcept;

struct Frame {
  FrameType type = FrameType::one_way_message;

  /// Chosen by who asks; 0 of a one-way message.
  std::int64_t request_id = 0;

  /// In the bytes that were read.
  std::string_view body;

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// More than any message of a master, a worker or a driver has: the largest one has a
/// user's environment and options.
inline constexpr std::size_t frame_bytes_max = std::size_t{16} * 1024 * 1024;

/// Takes the first frame from the front of what a connection has received; nothing when
/// it is not complete yet. Fails with `Errc::corrupt`, as soon as that can be known, for
/// lengths that cannot be, for more than `bytes_max`, and for frames of other types: the
/// connection has to end then.
Result<std::optional<Frame>>
take_frame(std::string_view& received, std::size_t bytes_max = frame_bytes_max);

/// @pre its body has less than 2 GiB
void append_frame(std::string& out, const Frame& x);

} // namespace stoker::spark
