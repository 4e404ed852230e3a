#include "spark/chunk_frames.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "spark/bytes.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

enum class ChunkFrameType : std::uint8_t {
  chunk_request = 0,
  chunk_success = 1,
  chunk_failure = 2,
  stream_request = 6,
  stream_response = 7,
  stream_failure = 8,
};

constexpr std::size_t length_of_length = 8;

template <class T>
T chunk_number(std::string_view text) {
  T result = 0;
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size() || result < 0)
    throw WireError{"a stream's name is not STREAM_CHUNK"};
  return result;
}

std::string name_of(const ChunkRequest& x) {
  return std::to_string(x.stream) + '_' + std::to_string(x.chunk);
}

ChunkRequest take_stream_name(ByteReader& in) {
  auto length = in.take<std::int32_t>();
  if (length < 0)
    throw WireError{"a stream's name has a length below 0"};
  auto name = in.take_bytes(static_cast<std::size_t>(length));
  auto middle = name.find('_');
  if (middle == std::string_view::npos)
    throw WireError{"a stream's name is not STREAM_CHUNK"};
  return {chunk_number<std::int64_t>(name.substr(0, middle)),
          chunk_number<std::int32_t>(name.substr(middle + 1)), true};
}

std::optional<ChunkRequest> take_request(ByteReader& in) {
  switch (static_cast<ChunkFrameType>(in.take<std::uint8_t>())) {
  case ChunkFrameType::chunk_request: {
    ChunkRequest result;
    result.stream = in.take<std::int64_t>();
    result.chunk = in.take<std::int32_t>();
    return result;
  }
  case ChunkFrameType::stream_request:
    return take_stream_name(in);
  default:
    return std::nullopt;
  }
}

/// What names the chunk in each answer.
std::string key_of(const ChunkRequest& x) {
  std::string result;
  if (x.as_stream) {
    put_counted_text(result, name_of(x));
  } else {
    put_big_endian(result, x.stream);
    put_big_endian(result, x.chunk);
  }
  return result;
}

std::string framed(ChunkFrameType type, const std::string& rest,
                   std::uint64_t bytes_that_follow) {
  std::string result;
  put_big_endian(result,
                 static_cast<std::uint64_t>(length_of_length + 1 + rest.size()
                                            + bytes_that_follow));
  result += static_cast<char>(type);
  return result + rest;
}

} // namespace

Result<std::optional<ChunkRequest>> read_chunk_request(std::string_view frame) {
  try {
    ByteReader in{frame};
    in.take<std::int64_t>();
    return take_request(in);
  } catch (const WireError& e) {
    return Error{Errc::corrupt,
                 std::string{"a request for a chunk: "} + e.what()};
  }
}

std::string chunk_header(const ChunkRequest& x, std::uint64_t block_bytes) {
  auto key = key_of(x);
  if (!x.as_stream)
    return framed(ChunkFrameType::chunk_success, key, block_bytes);
  put_big_endian(key, block_bytes);
  return framed(ChunkFrameType::stream_response, key, 0);
}

std::string chunk_failure(const ChunkRequest& x, const std::string& why) {
  auto rest = key_of(x);
  put_counted_text(rest, why);
  return framed(x.as_stream ? ChunkFrameType::stream_failure
                            : ChunkFrameType::chunk_failure,
                rest, 0);
}

} // namespace stoker::spark
