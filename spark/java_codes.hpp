#pragma once

#include <cstdint>

namespace stoker::spark {

// The numbers of Java's object streams (Java Object Serialization Specification, section
// 6.4.2; java.io.ObjectStreamConstants).

inline constexpr std::uint16_t java_magic = 0xACED;
inline constexpr std::uint16_t java_version = 5;

/// What the byte in front of each item says.
enum class JavaCode : std::uint8_t {
  null = 0x70,
  reference = 0x71,
  class_description = 0x72,
  object = 0x73,
  string = 0x74,
  array = 0x75,
  class_literal = 0x76,
  block_data = 0x77,
  end_block_data = 0x78,
  reset = 0x79,
  long_block_data = 0x7A,
  exception = 0x7B,
  long_string = 0x7C,
  proxy_class = 0x7D,
  enum_constant = 0x7E,
};

/// The handle of the first thing in a stream that has one.
inline constexpr std::uint32_t java_first_handle = 0x7E0000;

// Flags of a class description.

/// It has a writeObject(), which may add annotations to the fields.
inline constexpr std::uint8_t java_has_write_method = 0x01;
inline constexpr std::uint8_t java_serializable = 0x02;
inline constexpr std::uint8_t java_externalizable = 0x04;
inline constexpr std::uint8_t java_block_data_mode = 0x08;
inline constexpr std::uint8_t java_enum = 0x10;

} // namespace stoker::spark
