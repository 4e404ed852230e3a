#include "spark/java_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "spark/bytes.hpp"
#include "spark/java_codes.hpp"
#include "spark/java_text.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

/// Counts how deep things stand in each other, while it lives.
class Nested {
public:
  explicit Nested(std::size_t& depth) : depth_(depth) {
    ++depth_;
  }
  ~Nested() {
    --depth_;
  }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

private:
  std::size_t& depth_;
};

class JavaReader {
public:
  JavaReader(JavaGraph& graph, std::string_view bytes, const JavaLimits& limits)
      : graph_(graph), in_(bytes), limits_(limits) {
    // As much as messages have.
    auto likely = std::min<std::size_t>(bytes.size() / 16, 4096);
    handles_.reserve(likely);
    graph_.nodes.reserve(graph_.nodes.size() + likely);
    graph_.slots.reserve(graph_.slots.size() + likely);
    graph_.fields.reserve(graph_.fields.size() + likely);
  }

  NodeId read() {
    if (in_.left() > limits_.bytes_max)
      fail("a stream of " + std::to_string(in_.left())
           + " bytes is too long: at most " + std::to_string(limits_.bytes_max)
           + " are taken,");
    if (in_.take<std::uint16_t>() != java_magic
        || in_.take<std::uint16_t>() != java_version)
      throw WireError{"this is no object stream of Java: it begins otherwise",
                      0};
    auto result = item(take_code());
    if (in_.left() > 0)
      fail("something follows the object of a message");
    return result;
  }

private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw WireError{problem, in_.offset()};
  }

  JavaCode take_code() {
    return static_cast<JavaCode>(in_.take<std::uint8_t>());
  }

  JavaNode& node(NodeId id) {
    return graph_.nodes[index_of(id)];
  }

  NodeId add(JavaKind kind, NodeId type = null_node) {
    if (graph_.nodes.size() > limits_.nodes_max)
      fail("the stream has more than " + std::to_string(limits_.nodes_max)
           + " things");
    auto id = static_cast<NodeId>(graph_.nodes.size());
    auto& x = graph_.nodes.emplace_back();
    x.kind = kind;
    x.type = type;
    return id;
  }

  /// The same of what a stream can refer to.
  NodeId add_shared(JavaKind kind, NodeId type = null_node) {
    auto id = add(kind, type);
    handles_.push_back(id);
    return id;
  }

  /// So many bytes have to follow for what is open. Room is made for no more values
  /// than that, however things stand in each other.
  void expect_bytes(std::size_t count) {
    if (count > in_.left() || expected_ > in_.left() - count)
      fail("the stream is too short for what it announces");
    expected_ += count;
  }

  std::uint32_t add_slots(std::size_t count) {
    auto first = static_cast<std::uint32_t>(graph_.slots.size());
    graph_.slots.resize(graph_.slots.size() + count);
    return first;
  }

  static std::string_view checked(std::string_view text, std::size_t at) {
    if (!is_modified_utf8(text))
      throw WireError{"a text is no modified UTF-8", at};
    return text;
  }

  std::string_view short_text() {
    auto at = in_.offset();
    return checked(in_.take_short_text(), at);
  }

  void check_depth() const {
    if (depth_ >= limits_.depth_max)
      fail("things stand in each other more than "
           + std::to_string(limits_.depth_max) + " deep");
  }

  NodeId item(JavaCode code) {
    if (code == JavaCode::null)
      return null_node;
    if (code == JavaCode::reference)
      return referred();
    check_depth();
    Nested nested{depth_};
    switch (code) {
    case JavaCode::class_description:
      return new_class(0);
    case JavaCode::object:
      return object();
    case JavaCode::string:
    case JavaCode::long_string:
      return text(code);
    case JavaCode::array:
      return array();
    case JavaCode::class_literal:
      return add_shared(JavaKind::class_literal, class_of("a class literal"));
    case JavaCode::enum_constant:
      return enum_constant();
    default:
      refuse(code);
    }
  }

  [[noreturn]] void refuse(JavaCode code) const {
    const auto* what = "an item of no known kind";
    switch (code) {
    case JavaCode::block_data:
    case JavaCode::long_block_data:
    case JavaCode::end_block_data:
      what = "raw data where an object should be";
      break;
    case JavaCode::exception:
      what = "an exception of who wrote it";
      break;
    case JavaCode::proxy_class:
      what = "the class of a proxy, which no message has";
      break;
    case JavaCode::reset:
      what = "a reset, which no message has";
      break;
    default:
      break;
    }
    throw WireError{std::string{"the stream has "} + what, in_.offset() - 1};
  }

  NodeId referred() {
    auto handle = in_.take<std::uint32_t>();
    auto index = std::size_t{handle} - java_first_handle;
    if (handle < java_first_handle || index >= handles_.size())
      throw WireError{"a reference to what was not there before",
                      in_.offset() - 4};
    return handles_[index];
  }

  NodeId text(JavaCode code) {
    auto at = in_.offset();
    auto id = add_shared(JavaKind::text);
    auto is_long = code == JavaCode::long_string;
    auto bytes = is_long ? in_.take<std::uint64_t>()
                         : std::uint64_t{in_.take<std::uint16_t>()};
    node(id).is_long = is_long;
    node(id).text = checked(in_.take_bytes(bytes), at);
    return id;
  }

  /// A text as an item of its own: a signature, the name of a constant.
  NodeId text_item(const char* what) {
    auto at = in_.offset();
    auto code = take_code();
    auto id = code == JavaCode::reference ? referred()
              : code == JavaCode::string || code == JavaCode::long_string
                  ? text(code)
                  : null_node;
    if (node(id).kind != JavaKind::text)
      throw WireError{std::string{what} + " is no text", at};
    return id;
  }

  // -- classes -----------------------------------------------------------------

  /// @param level how many classes extend it, as far as is known
  NodeId class_or_null(std::size_t level) {
    auto at = in_.offset();
    switch (take_code()) {
    case JavaCode::null:
      return null_node;
    case JavaCode::reference: {
      auto id = referred();
      if (node(id).kind != JavaKind::class_description || !node(id).is_complete)
        throw WireError{"a reference that should be to a class", at};
      return id;
    }
    case JavaCode::class_description:
      return new_class(level);
    case JavaCode::proxy_class:
      throw WireError{
          "the stream has the class of a proxy, which no message has", at};
    default:
      throw WireError{"there is no class description", at};
    }
  }

  NodeId class_of(const char* what) {
    auto at = in_.offset();
    auto id = class_or_null(0);
    if (id == null_node)
      throw WireError{std::string{what} + " has no class", at};
    return id;
  }

  NodeId new_class(std::size_t level) {
    if (level > limits_.levels_max)
      fail("a class extends more than " + std::to_string(limits_.levels_max)
           + " others");
    check_depth();
    Nested nested{depth_};
    auto name = short_text();
    auto uid = in_.take<std::int64_t>();
    auto id = add_shared(JavaKind::class_description);
    node(id).text = name;
    node(id).uid = uid;
    auto at = in_.offset();
    auto flags = in_.take<std::uint8_t>();
    node(id).flags = flags;
    if ((flags & java_externalizable) != 0
        && ((flags & java_serializable) != 0
            || (flags & java_block_data_mode) == 0))
      throw WireError{"a class has flags that cannot be together", at};
    read_fields(id);
    auto noted = annotations();
    node(id).annotations = noted;
    auto super = class_or_null(level + 1);
    complete(id, super);
    return id;
  }

  /// The fields of a class. Texts of theirs may come between them, but no other fields.
  void read_fields(NodeId id) {
    auto count = in_.take<std::uint16_t>();
    auto first = static_cast<std::uint32_t>(graph_.fields.size());
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto at = in_.offset();
      JavaField field;
      field.type = static_cast<char>(in_.take<std::uint8_t>());
      if (bytes_of_type(field.type) == 0)
        throw WireError{"a field has no known type", at};
      bytes += static_cast<std::uint32_t>(bytes_of_type(field.type));
      field.name = short_text();
      if (is_reference_type(field.type))
        field.signature = text_item("the signature of a field");
      graph_.fields.push_back(field);
    }
    auto& x = node(id);
    x.first = first;
    x.count = count;
    x.bytes_min = bytes;
  }

  void complete(NodeId id, NodeId super) {
    auto& x = node(id);
    const auto& base = node(super);
    x.type = super;
    x.is_complete = true;
    if (super != null_node) {
      x.levels = base.levels + 1;
      if (x.levels > limits_.levels_max)
        fail("a class extends more than " + std::to_string(limits_.levels_max)
             + " others");
    }
    if (is_externalizable(x)) {
      x.slots = 1;
      x.bytes_min = 1;
      return;
    }
    if (is_externalizable(base))
      fail("a class extends one that writes its objects otherwise");
    auto noted = has_annotations(x) ? 1U : 0U;
    x.slots = base.slots + x.count + noted;
    x.bytes_min += base.bytes_min + noted;
  }

  // -- objects -----------------------------------------------------------------

  /// Data and objects up to the end of annotations.
  JavaSlot annotations() {
    auto mark = pending_.size();
    for (;;) {
      auto code = take_code();
      if (code == JavaCode::end_block_data)
        break;
      auto is_block
          = code == JavaCode::block_data || code == JavaCode::long_block_data;
      pending_.push_back(is_block ? block(code) : item(code));
    }
    auto count = pending_.size() - mark;
    auto first = add_slots(count);
    for (std::size_t i = 0; i < count; ++i)
      graph_.slots[first + i] = JavaSlot::of(pending_[mark + i]);
    pending_.resize(mark);
    return JavaSlot::of_range(first, static_cast<std::uint32_t>(count));
  }

  NodeId block(JavaCode code) {
    auto id = add(JavaKind::block);
    auto is_long = code == JavaCode::long_block_data;
    auto bytes = is_long ? in_.take<std::uint32_t>()
                         : std::uint32_t{in_.take<std::uint8_t>()};
    node(id).is_long = is_long;
    node(id).text = in_.take_bytes(bytes);
    return id;
  }

  NodeId object() {
    auto at = in_.offset();
    auto type = class_of("an object");
    if ((node(type).flags & (java_serializable | java_externalizable)) == 0)
      throw WireError{"an object is of a class that cannot be written", at};
    auto id = add_shared(JavaKind::object, type);
    expect_bytes(node(type).bytes_min);
    auto first = add_slots(node(type).slots);
    node(id).first = first;
    node(id).count = node(type).slots;
    if (is_externalizable(node(type))) {
      --expected_;
      auto noted = annotations();
      graph_.slots[first] = noted;
      return id;
    }
    // The base class comes first.
    auto mark = pending_.size();
    for (auto x = type; x != null_node; x = node(x).type)
      pending_.push_back(x);
    std::size_t slot = first;
    while (pending_.size() > mark) {
      auto next = pending_.back();
      pending_.pop_back();
      slot = class_data(next, slot);
    }
    return id;
  }

  /// What an object has of one of its classes. Returns where the next one's slots are.
  std::size_t class_data(NodeId type, std::size_t slot) {
    auto field = std::size_t{node(type).first};
    auto end = field + node(type).count;
    for (; field < end; ++field)
      value(slot++, graph_.fields[field].type);
    if (has_annotations(node(type))) {
      --expected_;
      auto noted = annotations();
      graph_.slots[slot++] = noted;
    }
    return slot;
  }

  void value(std::size_t slot, char type) {
    expected_ -= bytes_of_type(type);
    switch (bytes_of_type(type)) {
    case 8:
      graph_.slots[slot].bits = in_.take<std::uint64_t>();
      return;
    case 4:
      graph_.slots[slot].bits = in_.take<std::uint32_t>();
      return;
    case 2:
      graph_.slots[slot].bits = in_.take<std::uint16_t>();
      return;
    default:
      break;
    }
    if (!is_reference_type(type)) {
      graph_.slots[slot].bits = in_.take<std::uint8_t>();
      return;
    }
    // Slots may move while it is read.
    auto referred_to = item(take_code());
    graph_.slots[slot] = JavaSlot::of(referred_to);
  }

  NodeId array() {
    auto at = in_.offset();
    auto type = class_of("an array");
    auto name = node(type).text;
    if (name.size() < 2 || name[0] != '[' || bytes_of_type(name[1]) == 0)
      throw WireError{"the class of an array has another name", at};
    auto id = add_shared(JavaKind::array, type);
    auto count = in_.take<std::int32_t>();
    if (count < 0)
      throw WireError{"an array has less than no elements", in_.offset() - 4};
    auto elements = static_cast<std::uint32_t>(count);
    node(id).count = elements;
    if (!is_reference_type(name[1])) {
      node(id).text
          = in_.take_bytes(std::size_t{elements} * bytes_of_type(name[1]));
      return id;
    }
    expect_bytes(elements);
    auto first = add_slots(elements);
    node(id).first = first;
    for (std::size_t i = 0; i < elements; ++i)
      value(first + i, name[1]);
    return id;
  }

  NodeId enum_constant() {
    auto at = in_.offset();
    auto type = class_of("a constant");
    if ((node(type).flags & java_enum) == 0)
      throw WireError{"a constant is of a class that has none", at};
    auto id = add_shared(JavaKind::enum_constant, type);
    auto name = text_item("the name of a constant");
    node(id).first = static_cast<std::uint32_t>(name);
    return id;
  }

  JavaGraph& graph_;
  ByteReader in_;
  JavaLimits limits_;

  /// By handle.
  std::vector<NodeId> handles_;

  /// Of annotations and objects that are open.
  std::vector<NodeId> pending_;
  std::size_t depth_ = 0;

  /// How many bytes of what is open are yet to come, at least.
  std::size_t expected_ = 0;
};

} // namespace

Result<NodeId> read_java(JavaGraph& graph, std::string_view bytes,
                         const JavaLimits& limits) {
  try {
    return JavaReader{graph, bytes, limits}.read();
  } catch (const WireError& e) {
    return Error{Errc::corrupt, e.what()};
  }
}

} // namespace stoker::spark
