#include "process/spark_frame.hpp"

#include <boost/endian/conversion.hpp>

namespace stoker::process {

namespace {

namespace endian = boost::endian;

constexpr std::uint8_t type_request = 3;
constexpr std::uint8_t type_answer = 4;
constexpr std::uint8_t type_one_way = 9;

/// Of the length and the type.
constexpr std::size_t prefix_bytes = 9;

/// Up to the body.
constexpr std::size_t request_header_bytes = prefix_bytes + 12;
constexpr std::size_t one_way_header_bytes = prefix_bytes + 4;

/// A java.lang.Boolean as Java serializes it (Java Object Serialization
/// Specification, section 6.4): the stream's magic number and version, an object of
/// a class with one boolean field, and the field.
constexpr std::string_view serialized_true{
    "\xac\xed\x00\x05"
    "sr\x00\x11java.lang.Boolean\xcd\x20\x72\x80\xd5\x9c\xfa\xee"
    "\x02\x00\x01Z\x00\x05value"
    "xp\x01",
    47};

const unsigned char* bytes_at(std::string_view text, std::size_t offset) {
  return reinterpret_cast<const unsigned char*>(text.data()) + offset;
}

template <class Number>
void append(std::string& text, Number x) {
  unsigned char bytes[sizeof x];
  endian::endian_store<Number, sizeof x, endian::order::big>(bytes, x);
  text.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

/// A message begins with whether it names its sender. All else is an attempt to
/// prove who one is, which nobody here could judge.
bool is_message(std::string_view body) {
  return !body.empty() && (body.front() == 0 || body.front() == 1);
}

} // namespace

SparkFrame first_spark_frame(std::string_view received) {
  const SparkFrame incomplete;
  const SparkFrame refused{SparkFrame::Kind::refused, 0, 0};
  if (received.size() < sizeof(std::uint64_t))
    return incomplete;
  auto size = endian::load_big_u64(bytes_at(received, 0));
  if (size < one_way_header_bytes || size > spark_frame_bytes_max)
    return refused;
  if (received.size() < prefix_bytes)
    return incomplete;
  auto type = *bytes_at(received, sizeof(std::uint64_t));
  if (type != type_request && type != type_one_way)
    return refused;
  auto header
      = type == type_request ? request_header_bytes : one_way_header_bytes;
  if (size < header)
    return refused;
  if (received.size() < header)
    return incomplete;
  auto body = endian::load_big_u32(
      bytes_at(received, header - sizeof(std::uint32_t)));
  if (body != size - header)
    return refused;
  if (received.size() < size)
    return incomplete;
  if (!is_message(received.substr(header, body)))
    return refused;
  if (type == type_one_way)
    return {SparkFrame::Kind::one_way, size, 0};
  return {SparkFrame::Kind::request, size,
          endian::load_big_u64(bytes_at(received, prefix_bytes))};
}

std::string answer_true(std::uint64_t request_id) {
  std::string result;
  append<std::uint64_t>(result, request_header_bytes + serialized_true.size());
  result += static_cast<char>(type_answer);
  append(result, request_id);
  append(result, static_cast<std::uint32_t>(serialized_true.size()));
  result += serialized_true;
  return result;
}

} // namespace stoker::process
