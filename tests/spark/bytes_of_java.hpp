#pragma once

// Object streams of Java, written by hand. Handles count from 0.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "spark/java_graph.hpp"

namespace stoker::spark::test {

/// What goes before the first item.
std::string stream_start();

std::string big_endian(std::uint64_t x, int bytes);

/// A length of two bytes, and the text.
std::string utf(std::string_view text);
std::string text_item(std::string_view text);
std::string reference(std::uint32_t handle);

inline const std::string null_item = "\x70";
inline const std::string end_item = "\x78";

struct FieldText {
  char type;
  std::string_view name;

  /// An item; empty of numbers.
  std::string signature;
};

/// A class without annotations. `super` is an item.
std::string class_item(std::string_view name, std::uint8_t flags,
                       std::initializer_list<FieldText> fields,
                       const std::string& super = null_item,
                       std::int64_t uid = 1);

/// @param type an item
std::string object_item(const std::string& type, const std::string& data = "");
std::string array_item(const std::string& type, std::int32_t count,
                       const std::string& elements);
std::string block_item(std::string_view bytes);

/// Boxed, with descriptions of its own.
std::string integer_item(std::int32_t x);

/// Reads a whole stream.
/// @throws std::runtime_error with the reader's error
NodeId read_or_throw(JavaGraph& graph, std::string_view bytes);

/// The error of a stream; empty: there is none.
std::string problem_of(const std::string& items);

} // namespace stoker::spark::test
