#include "spark/java_writer.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "spark/bytes.hpp"
#include "spark/java_codes.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

/// A part of a graph may be deeper than the whole was for its reader, whose first way to
/// a thing was a shorter one.
constexpr std::size_t written_depth_max = 1000;

class JavaWriter {
public:
  JavaWriter(std::string& out, const JavaGraph& graph)
      : out_(out), graph_(graph), handles_(graph.nodes.size()) {
  }

  void write(NodeId root) {
    put_big_endian(out_, java_magic);
    put_big_endian(out_, java_version);
    item(root);
  }

private:
  void put_code(JavaCode code) {
    put_big_endian(out_, static_cast<std::uint8_t>(code));
  }

  /// From now on it is referred to.
  void keep(NodeId id) {
    handles_[index_of(id)] = next_handle_++;
  }

  /// Writes a reference, if it was written before.
  bool put_known(NodeId id) {
    auto handle = handles_.at(index_of(id));
    if (handle == 0)
      return false;
    put_code(JavaCode::reference);
    put_big_endian(out_, handle);
    return true;
  }

  const JavaNode& expect(NodeId id, JavaKind kind) const {
    const auto& x = graph_.at(id);
    if (x.kind != kind)
      throw WireError{"a graph has something else where it needs a class or a "
                      "text"};
    return x;
  }

  void put_short_text(std::string_view text) {
    if (text.size() > std::numeric_limits<std::uint16_t>::max())
      throw WireError{"a name of " + std::to_string(text.size())
                      + " bytes is too long to be written"};
    put_big_endian(out_, static_cast<std::uint16_t>(text.size()));
    out_ += text;
  }

  void item(NodeId id) {
    if (id == null_node)
      return put_code(JavaCode::null);
    if (put_known(id))
      return;
    if (depth_ >= written_depth_max)
      throw WireError{"things stand in each other too deep to be written"};
    ++depth_;
    new_item(id, graph_.at(id));
    --depth_;
  }

  void new_item(NodeId id, const JavaNode& x) {
    switch (x.kind) {
    case JavaKind::null:
      return put_code(JavaCode::null);
    case JavaKind::text:
      return new_text(id, x);
    case JavaKind::class_description:
      return new_class(id, x);
    case JavaKind::object:
      return object(id, x);
    case JavaKind::array:
      return array(id, x);
    case JavaKind::enum_constant:
      put_code(JavaCode::enum_constant);
      class_or_null(x.type);
      keep(id);
      return text_item(static_cast<NodeId>(x.first));
    case JavaKind::class_literal:
      put_code(JavaCode::class_literal);
      class_or_null(x.type);
      return keep(id);
    case JavaKind::block:
      return block(x);
    }
  }

  void new_text(NodeId id, const JavaNode& x) {
    keep(id);
    if (!x.is_long) {
      put_code(JavaCode::string);
      return put_short_text(x.text);
    }
    put_code(JavaCode::long_string);
    put_big_endian(out_, std::uint64_t{x.text.size()});
    out_ += x.text;
  }

  void text_item(NodeId id) {
    const auto& x = expect(id, JavaKind::text);
    if (!put_known(id))
      new_text(id, x);
  }

  void block(const JavaNode& x) {
    if (x.text.size() > (x.is_long ? 0x7FFF'FFFFU : 0xFFU))
      throw WireError{"a block is too long to be written"};
    put_code(x.is_long ? JavaCode::long_block_data : JavaCode::block_data);
    if (x.is_long)
      put_big_endian(out_, static_cast<std::uint32_t>(x.text.size()));
    else
      put_big_endian(out_, static_cast<std::uint8_t>(x.text.size()));
    out_ += x.text;
  }

  // -- classes -----------------------------------------------------------------

  void class_or_null(NodeId id) {
    if (id == null_node)
      return put_code(JavaCode::null);
    if (!put_known(id))
      new_class(id, expect(id, JavaKind::class_description));
  }

  void new_class(NodeId id, const JavaNode& x) {
    if (depth_ >= written_depth_max)
      throw WireError{"a class extends too many others to be written"};
    ++depth_;
    put_code(JavaCode::class_description);
    put_short_text(x.text);
    put_big_endian(out_, x.uid);
    keep(id);
    put_big_endian(out_, x.flags);
    put_big_endian(out_, static_cast<std::uint16_t>(x.count));
    for (std::size_t i = 0; i < x.count; ++i) {
      const auto& field = graph_.fields.at(x.first + i);
      out_ += field.type;
      put_short_text(field.name);
      if (is_reference_type(field.type))
        text_item(field.signature);
    }
    annotations(x.annotations);
    class_or_null(x.type);
    --depth_;
  }

  // -- objects -----------------------------------------------------------------

  void annotations(JavaSlot range) {
    for (std::size_t i = 0; i < range.range_count(); ++i)
      item(graph_.slots.at(range.range_first() + i).node());
    put_code(JavaCode::end_block_data);
  }

  void object(NodeId id, const JavaNode& x) {
    put_code(JavaCode::object);
    class_or_null(x.type);
    keep(id);
    const auto& type = expect(x.type, JavaKind::class_description);
    if (is_externalizable(type))
      return annotations(graph_.slots.at(x.first));
    auto mark = pending_.size();
    for (auto base = x.type; base != null_node; base = graph_.at(base).type)
      pending_.push_back(base);
    std::size_t slot = x.first;
    while (pending_.size() > mark) {
      const auto& next = graph_.at(pending_.back());
      pending_.pop_back();
      slot = class_data(next, slot);
    }
  }

  std::size_t class_data(const JavaNode& type, std::size_t slot) {
    for (std::size_t i = 0; i < type.count; ++i)
      value(graph_.slots.at(slot++), graph_.fields.at(type.first + i).type);
    if (has_annotations(type))
      annotations(graph_.slots.at(slot++));
    return slot;
  }

  void value(JavaSlot x, char type) {
    if (is_reference_type(type))
      return item(x.node());
    switch (bytes_of_type(type)) {
    case 8:
      return put_big_endian(out_, x.bits);
    case 4:
      return put_big_endian(out_, static_cast<std::uint32_t>(x.bits));
    case 2:
      return put_big_endian(out_, static_cast<std::uint16_t>(x.bits));
    default:
      return put_big_endian(out_, static_cast<std::uint8_t>(x.bits));
    }
  }

  void array(NodeId id, const JavaNode& x) {
    put_code(JavaCode::array);
    class_or_null(x.type);
    keep(id);
    put_big_endian(out_, x.count);
    const auto& type = expect(x.type, JavaKind::class_description);
    if (type.text.size() < 2)
      throw WireError{"the class of an array has another name"};
    if (!is_reference_type(type.text[1])) {
      out_ += x.text;
      return;
    }
    for (std::size_t i = 0; i < x.count; ++i)
      item(graph_.slots.at(x.first + i).node());
  }

  std::string& out_;
  const JavaGraph& graph_;

  /// By node; 0: it was not written yet.
  std::vector<std::uint32_t> handles_;
  std::uint32_t next_handle_ = java_first_handle;

  /// The classes of objects that are open.
  std::vector<NodeId> pending_;
  std::size_t depth_ = 0;
};

} // namespace

void append_java(std::string& out, const JavaGraph& graph, NodeId root) {
  JavaWriter{out, graph}.write(root);
}

} // namespace stoker::spark
