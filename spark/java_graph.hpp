#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "spark/java_codes.hpp"

namespace stoker::spark {

// What an object stream of Java holds, of whatever classes: things that refer to each
// other, also in circles, and keep their identity. Nothing is interpreted here, so that
// a graph can be written again as it was. Texts are modified UTF-8 (see java_text.hpp),
// in the bytes that were read: these have to outlive the graph.

/// A thing of a graph, by its index.
enum class NodeId : std::uint32_t {};

inline constexpr NodeId null_node{0};

constexpr std::size_t index_of(NodeId x) noexcept {
  return static_cast<std::size_t>(x);
}

enum class JavaKind : std::uint8_t {
  null,
  text,
  class_description,
  object,
  array,
  enum_constant,
  /// An object of java.lang.Class.
  class_literal,
  /// Bytes that a class has written itself.
  block,
};

/// A place for a value: its type stands in the class description, or in the name of the
/// array's class.
struct JavaSlot {
  /// A number, a reference, or a range of slots.
  std::uint64_t bits = 0;

  static constexpr JavaSlot of(NodeId x) noexcept {
    return {static_cast<std::uint64_t>(x)};
  }
  static constexpr JavaSlot of_range(std::uint32_t first,
                                     std::uint32_t count) noexcept {
    return {static_cast<std::uint64_t>(first) << 32U | count};
  }

  [[nodiscard]] constexpr NodeId node() const noexcept {
    return static_cast<NodeId>(bits);
  }
  [[nodiscard]] constexpr std::size_t range_first() const noexcept {
    return static_cast<std::size_t>(bits >> 32U);
  }
  [[nodiscard]] constexpr std::size_t range_count() const noexcept {
    return static_cast<std::uint32_t>(bits);
  }
};

/// How many bytes a value of a type takes in a stream, at least: types are the letters
/// of the specification, section 6.4.2. 0: there is no such type.
constexpr std::size_t bytes_of_type(char type) noexcept {
  switch (type) {
  case 'J':
  case 'D':
    return 8;
  case 'I':
  case 'F':
    return 4;
  case 'C':
  case 'S':
    return 2;
  case 'B':
  case 'Z':
  // Of a reference: it may be null.
  case 'L':
  case '[':
    return 1;
  default:
    return 0;
  }
}

constexpr bool is_reference_type(char type) noexcept {
  return type == 'L' || type == '[';
}

/// A value with its type.
struct JavaValue {
  char type = 'L';
  JavaSlot slot;

  [[nodiscard]] constexpr bool is_reference() const noexcept {
    return is_reference_type(type);
  }

  /// What it refers to.
  [[nodiscard]] constexpr NodeId node() const noexcept {
    return is_reference() ? slot.node() : null_node;
  }

  /// Of B, C, I, J, S and Z.
  [[nodiscard]] constexpr std::int64_t whole() const noexcept {
    switch (type) {
    case 'B':
      return static_cast<std::int8_t>(slot.bits);
    case 'C':
      return static_cast<std::uint16_t>(slot.bits);
    case 'I':
      return static_cast<std::int32_t>(slot.bits);
    case 'S':
      return static_cast<std::int16_t>(slot.bits);
    default:
      return static_cast<std::int64_t>(slot.bits);
    }
  }

  /// Of D and F.
  [[nodiscard]] constexpr double floating() const noexcept {
    return type == 'F'
               ? std::bit_cast<float>(static_cast<std::uint32_t>(slot.bits))
               : std::bit_cast<double>(slot.bits);
  }
};

struct JavaField {
  char type = 'L';
  std::string_view name;

  /// A text, of fields that refer to something.
  NodeId signature = null_node;
};

/// One thing. What its members mean depends on the kind.
struct JavaNode {
  JavaKind kind = JavaKind::null;

  /// Of a text or a block: its length is written with more bytes.
  bool is_long = false;

  /// Of a class: see java_codes.hpp, and whether all of it has been read.
  std::uint8_t flags = 0;
  bool is_complete = false;

  /// Of an object, an array, a constant or a literal: its class. Of a class: the one it
  /// extends, or null.
  NodeId type = null_node;

  /// Of an object: the slots of its classes, the base class first: fields, then a range
  /// of annotations if the class has such. Of an array of references: its elements. Of a
  /// class: its fields. Of a constant: `first` is its name.
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  /// Of a class: its own annotations, a range of slots.
  JavaSlot annotations;

  /// Of a class: how many slots an object has, with those of the classes that it
  /// extends; how many bytes these take at least; and how many classes it extends.
  std::uint32_t slots = 0;
  std::uint32_t bytes_min = 0;
  std::uint32_t levels = 0;

  /// Of a class: its serialVersionUID.
  std::int64_t uid = 0;

  /// A text; the name of a class; the bytes of a block; the elements of an array of
  /// numbers, as they are in the stream.
  std::string_view text;
};

// Streams can have a thing for every two of their bytes.
static_assert(sizeof(JavaNode) <= 64);

/// Whether objects of the class have annotations behind the fields.
constexpr bool has_annotations(const JavaNode& type) noexcept {
  return (type.flags & (java_has_write_method | java_externalizable)) != 0;
}

/// Whether the class writes all of an object itself, also what it extends.
constexpr bool is_externalizable(const JavaNode& type) noexcept {
  return (type.flags & java_externalizable) != 0;
}

struct JavaGraph {
  /// The first one is null.
  std::vector<JavaNode> nodes{JavaNode{}};
  std::vector<JavaSlot> slots;
  std::vector<JavaField> fields;

  /// @throws std::out_of_range for what is no node of this graph
  [[nodiscard]] const JavaNode& at(NodeId id) const {
    return nodes.at(index_of(id));
  }
};

} // namespace stoker::spark
