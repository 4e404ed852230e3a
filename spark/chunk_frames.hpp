#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker::spark {

// Frames that move blocks (Spark's network-common, MessageEncoder). They begin as all others
// do (spark/frame.hpp): a length of eight bytes, which counts these, and a type.
//
//     ChunkFetchRequest  0   int64 stream, int32 chunk
//     ChunkFetchSuccess  1   int64 stream, int32 chunk, and the block
//     ChunkFetchFailure  2   int64 stream, int32 chunk, int32 length, and text that says why
//     StreamRequest      6   int32 length, and "STREAM_CHUNK"
//     StreamResponse     7   int32 length, "STREAM_CHUNK", int64 length of the block; the block
//                            follows the frame
//     StreamFailure      8   int32 length, "STREAM_CHUNK", int32 length, and text that says why

struct ChunkRequest {
  std::int64_t stream = 0;
  std::int32_t chunk = 0;

  /// It is too large for the memory of who asks, who takes it as a StreamResponse.
  bool as_stream = false;

  friend bool operator==(const ChunkRequest&, const ChunkRequest&) = default;
};

/// Reads a whole frame. Nothing for one that is neither a ChunkFetchRequest nor a
/// StreamRequest. Fails with `Errc::corrupt`.
Result<std::optional<ChunkRequest>> read_chunk_request(std::string_view frame);

/// All of the answer but the block, which has so many bytes.
std::string chunk_header(const ChunkRequest& x, std::uint64_t block_bytes);

std::string chunk_failure(const ChunkRequest& x, const std::string& why);

} // namespace stoker::spark
