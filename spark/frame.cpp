#include "spark/frame.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "spark/bytes.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

constexpr std::size_t length_bytes = 8;

/// The length and the type.
constexpr std::size_t least_bytes = length_bytes + 1;

constexpr bool has_request(FrameType type) {
  return type != FrameType::one_way_message;
}

constexpr std::size_t header_bytes(FrameType type) {
  return least_bytes + (has_request(type) ? 8 : 0) + 4;
}

Error bad_frame(const std::string& problem) {
  return {Errc::corrupt, "a frame " + problem};
}

std::optional<FrameType> known_type(std::uint8_t code) {
  for (auto type : {FrameType::rpc_request, FrameType::rpc_response,
                    FrameType::rpc_failure, FrameType::one_way_message})
    if (static_cast<std::uint8_t>(type) == code)
      return type;
  return {};
}

} // namespace

const char* to_string(FrameType x) noexcept {
  switch (x) {
  case FrameType::rpc_request:
    return "RpcRequest";
  case FrameType::rpc_response:
    return "RpcResponse";
  case FrameType::rpc_failure:
    return "RpcFailure";
  case FrameType::one_way_message:
    return "OneWayMessage";
  }
  return "?";
}

Result<std::optional<Frame>> take_frame(std::string_view& received,
                                        std::size_t bytes_max) {
  if (received.size() < length_bytes)
    return std::optional<Frame>{};
  ByteReader in{received};
  auto length = in.take<std::int64_t>();
  if (length < static_cast<std::int64_t>(least_bytes))
    return bad_frame("of " + std::to_string(length) + " bytes is too short");
  auto bytes = static_cast<std::uint64_t>(length);
  if (bytes > std::min<std::uint64_t>(bytes_max,
                                      std::numeric_limits<std::int32_t>::max()))
    return bad_frame("of " + std::to_string(length)
                     + " bytes is too long: at most "
                     + std::to_string(bytes_max) + " are taken");
  if (in.left() == 0)
    return std::optional<Frame>{};
  auto code = in.take<std::uint8_t>();
  auto type = known_type(code);
  if (!type)
    return bad_frame("has the type " + std::to_string(code)
                     + ", which no message to a master or worker has");
  if (bytes < header_bytes(*type))
    return bad_frame("of " + std::to_string(length)
                     + " bytes is too short for its type");
  if (received.size() < bytes)
    return std::optional<Frame>{};
  Frame result{*type};
  if (has_request(*type))
    result.request_id = in.take<std::int64_t>();
  auto body = in.take<std::int32_t>();
  if (body != length - static_cast<std::int64_t>(header_bytes(*type)))
    return bad_frame("of " + std::to_string(length)
                     + " bytes says that its body has " + std::to_string(body));
  result.body = in.take_bytes(static_cast<std::size_t>(body));
  received.remove_prefix(static_cast<std::size_t>(bytes));
  return std::optional{result};
}

void append_frame(std::string& out, const Frame& x) {
  assert(x.body.size() <= std::numeric_limits<std::int32_t>::max());
  auto length = header_bytes(x.type) + x.body.size();
  out.reserve(out.size() + length);
  put_big_endian(out, static_cast<std::int64_t>(length));
  put_big_endian(out, static_cast<std::uint8_t>(x.type));
  if (has_request(x.type))
    put_big_endian(out, x.request_id);
  put_big_endian(out, static_cast<std::int32_t>(x.body.size()));
  out += x.body;
}

} // namespace stoker::spark
