#include "tests/spark/bytes_of_java.hpp"

#include <stdexcept>

#include "spark/java_reader.hpp"

namespace stoker::spark::test {

std::string stream_start() {
  return big_endian(0xACED0005, 4);
}

std::string big_endian(std::uint64_t x, int bytes) {
  std::string result;
  for (int i = bytes - 1; i >= 0; --i)
    result += static_cast<char>(x >> (8 * i) & 0xFFU);
  return result;
}

std::string utf(std::string_view text) {
  return big_endian(text.size(), 2) + std::string{text};
}

std::string text_item(std::string_view text) {
  return "\x74" + utf(text);
}

std::string reference(std::uint32_t handle) {
  return "\x71" + big_endian(0x7E0000U + handle, 4);
}

std::string class_item(std::string_view name, std::uint8_t flags,
                       std::initializer_list<FieldText> fields,
                       const std::string& super, std::int64_t uid) {
  auto result = "\x72" + utf(name)
                + big_endian(static_cast<std::uint64_t>(uid), 8)
                + static_cast<char>(flags) + big_endian(fields.size(), 2);
  for (const auto& field : fields)
    result += field.type + utf(field.name) + field.signature;
  return result + end_item + super;
}

std::string object_item(const std::string& type, const std::string& data) {
  return "\x73" + type + data;
}

std::string array_item(const std::string& type, std::int32_t count,
                       const std::string& elements) {
  return "\x75" + type + big_endian(static_cast<std::uint32_t>(count), 4)
         + elements;
}

std::string block_item(std::string_view bytes) {
  return "\x77" + big_endian(bytes.size(), 1) + std::string{bytes};
}

std::string integer_item(std::int32_t x) {
  auto number = class_item("java.lang.Number", 2, {});
  return object_item(
      class_item("java.lang.Integer", 2, {{'I', "value", ""}}, number),
      big_endian(static_cast<std::uint32_t>(x), 4));
}

NodeId read_or_throw(JavaGraph& graph, std::string_view bytes) {
  auto result = read_java(graph, bytes);
  if (!result)
    throw std::runtime_error{result.error().message};
  return *result;
}

std::string problem_of(const std::string& items) {
  auto bytes = stream_start() + items;
  JavaGraph graph;
  auto result = read_java(graph, bytes);
  return result ? "" : result.error().message;
}

} // namespace stoker::spark::test
