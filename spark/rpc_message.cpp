#include "spark/rpc_message.hpp"

#include <cassert>

#include "spark/bytes.hpp"
#include "spark/java_text.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

std::string take_name(ByteReader& in) {
  auto at = in.offset();
  auto text = in.take_short_text();
  if (!is_modified_utf8(text))
    throw WireError{"a name is no modified UTF-8", at};
  return to_utf8(text);
}

std::optional<RpcAddress> take_address(ByteReader& in) {
  auto at = in.offset();
  auto present = in.take<std::uint8_t>();
  if (present > 1)
    throw WireError{"an address is neither there nor absent", at};
  if (present == 0)
    return {};
  RpcAddress result;
  result.host = take_name(in);
  result.port = in.take<std::int32_t>();
  return result;
}

void put_name(std::string& out, std::string_view name) {
  auto text = to_modified_utf8(name);
  assert(text.size() <= 0xFFFF);
  put_big_endian(out, static_cast<std::uint16_t>(text.size()));
  out += text;
}

void put_address(std::string& out, const std::optional<RpcAddress>& x) {
  put_big_endian(out, static_cast<std::uint8_t>(x ? 1 : 0));
  if (!x)
    return;
  put_name(out, x->host);
  put_big_endian(out, x->port);
}

} // namespace

Result<RpcMessage> read_rpc_message(std::string_view body) {
  try {
    ByteReader in{body};
    RpcMessage result;
    result.sender = take_address(in);
    result.receiver = take_address(in);
    result.endpoint = take_name(in);
    result.content = in.take_rest();
    return result;
  } catch (const WireError& e) {
    return Error{Errc::corrupt,
                 std::string{"the addresses of a message: "} + e.what()};
  }
}

void append_rpc_message(std::string& out, const RpcMessage& x) {
  put_address(out, x.sender);
  put_address(out, x.receiver);
  put_name(out, x.endpoint);
  out += x.content;
}

} // namespace stoker::spark
