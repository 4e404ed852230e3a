#include "spark/scala_values.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "spark/java_text.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

constexpr std::string_view collection = "scala.collection.";

/// Collections in collections: what holds another one is no real one.
constexpr std::size_t holders_max = 16;

bool is_below(std::string_view name, std::string_view rest) {
  return name.starts_with(collection) && name.substr(collection.size()) == rest;
}

template <std::size_t N>
bool is_one_below(std::string_view name,
                  const std::array<std::string_view, N>& rests) {
  return std::any_of(rests.begin(), rests.end(), [&](std::string_view rest) {
    return is_below(name, rest);
  });
}

bool is_empty_sequence(std::string_view module) {
  static constexpr std::array<std::string_view, 4> names{
      "immutable.Nil$", "immutable.Set$EmptySet$", "immutable.Vector0$",
      "immutable.Stream$Empty$"};
  return is_one_below(module, names);
}

bool is_empty_map(std::string_view module) {
  static constexpr std::array<std::string_view, 2> names{
      "immutable.Map$EmptyMap$", "immutable.HashMap$EmptyHashMap$"};
  return is_one_below(module, names);
}

/// Stands behind the last element.
bool is_end_mark(std::string_view module) {
  static constexpr std::array<std::string_view, 2> names{
      "immutable.ListSerializeEnd$", "generic.SerializeEnd$"};
  return is_one_below(module, names);
}

/// The fields in which collections keep others, or arrays.
constexpr std::array<std::string_view, 6> inner_sequences{
    "unsafeArray", "array", "prefix1", "underlying", "coll", "list"};
constexpr std::array<std::string_view, 4> inner_maps{"underlying", "m", "coll",
                                                     "map"};

/// Keys and values in turn.
std::optional<ScalaReader::Entries>
paired_entries(const ScalaReader::Elements& xs) {
  if (xs.size() % 2 != 0)
    return {};
  ScalaReader::Entries result;
  for (std::size_t i = 0; i < xs.size(); i += 2)
    result.emplace_back(xs[i], xs[i + 1]);
  return result;
}

} // namespace

ScalaReader::ScalaReader(const JavaGraph& graph, std::size_t generosity)
    : graph_(graph) {
  constexpr std::size_t least = 64 * 1024;
  constexpr std::size_t per_value = 16;
  constexpr std::size_t per_byte = 4;
  left_ = least + per_value * (graph.slots.size() + graph.nodes.size());
  for (const auto& x : graph.nodes)
    left_ += per_byte * x.text.size();
  left_ *= generosity;
}

JavaView ScalaReader::view(NodeId id) {
  JavaView result{graph_, id};
  spend(1 + (result.is_object() ? result.size() : 0));
  return result;
}

void ScalaReader::spend(std::size_t count) {
  if (count > left_)
    throw WireError{"a message refers to the same things too often"};
  left_ -= count;
}

std::string_view ScalaReader::module_name(NodeId id) {
  JavaView x{graph_, id};
  if (!x.is_object())
    return {};
  auto name = x.class_name();
  if (name == "scala.runtime.ModuleSerializationProxy") {
    auto literal = view(x.reference("moduleClass"));
    return literal.kind() == JavaKind::class_literal ? literal.class_name()
                                                     : std::string_view{};
  }
  return name.ends_with('$') ? name : std::string_view{};
}

// -- sequences -----------------------------------------------------------------

ScalaReader::Elements ScalaReader::array_elements(const JavaView& array,
                                                  std::size_t count) {
  count = std::min(count, array.size());
  spend(count);
  Elements result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(array.element(i));
  return result;
}

/// The first elements of an array with room for more.
std::optional<ScalaReader::Elements>
ScalaReader::counted_array(const JavaView& x, std::string_view count) {
  auto array = view(x.reference("array"));
  auto size = x.field(count);
  if (array.kind() != JavaKind::array || !size || size->is_reference()
      || size->whole() < 0)
    return {};
  return array_elements(array, static_cast<std::size_t>(size->whole()));
}

/// scala.collection.immutable.Vector of 2.12: a tree of arrays of 32. `display0` to
/// `display5` are the arrays on the way to the element at `focus`, the newest ones; the
/// others are reached from where the two ways part.
std::optional<ScalaReader::Elements>
ScalaReader::vector_elements(const JavaView& x) {
  auto number_of = [&](std::string_view name) -> std::int64_t {
    auto found = x.field(name);
    return found && !found->is_reference() ? found->whole() : -1;
  };
  auto start = number_of("startIndex");
  auto end = number_of("endIndex");
  auto focus = number_of("focus");
  if (start < 0 || end < start || focus < 0)
    return {};
  static constexpr std::array<std::string_view, 6> displays{
      "display0", "display1", "display2", "display3", "display4", "display5"};
  spend(static_cast<std::size_t>(end - start));
  Elements result;
  for (auto i = start; i < end; ++i) {
    std::size_t level = 0;
    while (level + 1 < displays.size()
           && i >> (5 * (level + 1)) != focus >> (5 * (level + 1)))
      ++level;
    JavaValue at{'L', JavaSlot::of(x.reference(displays.at(level)))};
    for (auto below = level + 1; below-- > 0;) {
      auto array = view(at.node());
      auto place = static_cast<std::size_t>(i >> (5 * below) & 31);
      if (array.kind() != JavaKind::array || place >= array.size())
        return {};
      at = array.element(place);
    }
    result.push_back(at);
  }
  return result;
}

/// Elements that a class has written besides its fields, without counts and the mark at
/// the end.
std::optional<ScalaReader::Elements>
ScalaReader::annotated_elements(const JavaView& x) {
  Elements result;
  auto all = x.annotations();
  spend(all.size());
  for (auto id : all)
    if (graph_.at(id).kind != JavaKind::block && !is_end_mark(module_name(id)))
      result.push_back({'L', JavaSlot::of(id)});
  return result;
}

/// scala.collection.immutable.Set.Set1 to Set4.
ScalaReader::Elements ScalaReader::set_elements(const JavaView& x) {
  Elements result;
  for (const auto* name : {"elem1", "elem2", "elem3", "elem4"})
    if (auto found = x.field(name))
      result.push_back(*found);
  spend(result.size());
  return result;
}

std::optional<ScalaReader::Elements> ScalaReader::find_elements(NodeId id) {
  return find_elements(id, 0);
}

std::optional<ScalaReader::Elements>
ScalaReader::find_elements(NodeId id, std::size_t depth) {
  if (id == null_node || is_empty_sequence(module_name(id)))
    return Elements{};
  auto x = view(id);
  if (x.kind() == JavaKind::array)
    return array_elements(x, x.size());
  if (!x.is_object() || depth > holders_max)
    return {};
  auto name = x.class_name();
  static constexpr std::array<std::string_view, 3> annotated{
      "immutable.List$SerializationProxy", "generic.DefaultSerializationProxy",
      "immutable.$colon$colon"};
  if (is_one_below(name, annotated) || name == "java.util.ArrayList"
      || name == "java.util.LinkedList" || name == "java.util.HashSet")
    return annotated_elements(x);
  if (is_below(name, "immutable.Vector") && x.field("startIndex"))
    return vector_elements(x);
  if (is_below(name, "mutable.ArrayBuffer"))
    return counted_array(x, "size0");
  if (is_below(name, "mutable.ArraySeq") && x.field("length"))
    return counted_array(x, "length");
  if (name.starts_with("scala.collection.immutable.Set$Set"))
    return set_elements(x);
  if (name == "java.util.Arrays$ArrayList")
    return find_elements(x.reference("a"), depth + 1);
  for (auto inner : inner_sequences)
    if (auto held = x.reference(inner);
        graph_.at(held).kind == JavaKind::object
        || graph_.at(held).kind == JavaKind::array)
      return find_elements(held, depth + 1);
  return {};
}

// -- maps ----------------------------------------------------------------------

/// The class of what makes the collection when it is read: of 2.13 alone.
std::string_view ScalaReader::factory_name(const JavaView& x) {
  auto outer = x.reference("factory");
  auto inner = view(outer).reference("factory");
  return inner == null_node ? view(outer).class_name() : module_name(inner);
}

bool ScalaReader::is_map(NodeId id) {
  auto x = view(id);
  auto name = x.class_name();
  return x.is_object()
         && (name.find("Map") != std::string_view::npos
             || (is_below(name, "generic.DefaultSerializationProxy")
                 && factory_name(x).find("Map") != std::string_view::npos));
}

/// scala.collection.immutable.Map.Map1 to Map4.
ScalaReader::Entries ScalaReader::small_map_entries(const JavaView& x) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4>
      names{{{"key1", "value1"},
             {"key2", "value2"},
             {"key3", "value3"},
             {"key4", "value4"}}};
  Entries result;
  for (auto [key_name, value_name] : names) {
    auto key = x.field(key_name);
    auto value = x.field(value_name);
    if (key && value)
      result.emplace_back(*key, *value);
  }
  spend(result.size());
  return result;
}

std::optional<ScalaReader::Entries> ScalaReader::tuples(const Elements& xs) {
  Entries result;
  for (const auto& x : xs) {
    auto tuple = view(x.node());
    auto key = tuple.field("_1");
    auto value = tuple.field("_2");
    if (!key || !value)
      return {};
    result.emplace_back(*key, *value);
  }
  return result;
}

std::optional<ScalaReader::Entries> ScalaReader::find_entries(NodeId id) {
  return find_entries(id, 0);
}

std::optional<ScalaReader::Entries>
ScalaReader::find_entries(NodeId id, std::size_t depth) {
  if (id == null_node || is_empty_map(module_name(id)))
    return Entries{};
  auto x = view(id);
  if (!x.is_object() || depth > holders_max)
    return {};
  auto name = x.class_name();
  if (name.starts_with("scala.collection.immutable.Map$Map"))
    return small_map_entries(x);
  if (is_below(name, "generic.DefaultSerializationProxy"))
    return tuples(*annotated_elements(x));
  static constexpr std::array<std::string_view, 3> in_turn{
      "immutable.HashMap$SerializationProxy", "mutable.HashMap",
      "mutable.LinkedHashMap"};
  if (is_one_below(name, in_turn) || name == "java.util.HashMap"
      || name == "java.util.LinkedHashMap")
    return paired_entries(*annotated_elements(x));
  for (auto inner : inner_maps)
    if (auto held = x.reference(inner);
        graph_.at(held).kind == JavaKind::object)
      return find_entries(held, depth + 1);
  return {};
}

// -- single values -------------------------------------------------------------

std::optional<ScalaEnumValue> ScalaReader::find_enum_value(NodeId id) {
  auto x = view(id);
  if (!x.is_object() || x.class_name() != "scala.Enumeration$Val")
    return {};
  auto ordinal = x.field("i");
  auto outer = x.reference("$outer");
  if (!ordinal || ordinal->type != 'I')
    return {};
  auto name = module_name(outer);
  return ScalaEnumValue{name.empty() ? view(outer).class_name() : name,
                        static_cast<std::int32_t>(ordinal->whole())};
}

std::optional<JavaValue> ScalaReader::find_boxed(NodeId id) {
  auto x = view(id);
  if (!x.is_object() || !x.class_name().starts_with("java.lang."))
    return {};
  auto value = x.field("value");
  return value && !value->is_reference() ? value : std::nullopt;
}

std::string ScalaReader::text(NodeId id) {
  const auto& x = graph_.at(id);
  if (x.kind != JavaKind::text)
    throw WireError{"is no text"};
  spend(x.text.size() + 1);
  return to_utf8(x.text);
}

std::int64_t ScalaReader::whole_number(JavaValue x) {
  if (x.is_reference()) {
    auto inner = find_boxed(x.node());
    if (!inner)
      throw WireError{"is no number"};
    x = *inner;
  }
  if (x.type == 'D' || x.type == 'F' || x.type == 'Z')
    throw WireError{"is no whole number"};
  return x.whole();
}

std::int32_t ScalaReader::number(JavaValue x) {
  auto result = whole_number(x);
  if (result < std::numeric_limits<std::int32_t>::min()
      || result > std::numeric_limits<std::int32_t>::max())
    throw WireError{"is too large a number"};
  return static_cast<std::int32_t>(result);
}

double ScalaReader::floating_number(JavaValue x) {
  if (x.is_reference())
    if (auto inner = find_boxed(x.node()))
      x = *inner;
  if (x.type == 'D' || x.type == 'F')
    return x.floating();
  return static_cast<double>(whole_number(x));
}

ScalaEnumValue ScalaReader::enum_value(NodeId id) {
  if (auto found = find_enum_value(id))
    return *found;
  throw WireError{"is no value of an enumeration"};
}

std::optional<JavaValue> ScalaReader::option(NodeId id) {
  if (id == null_node || module_name(id) == "scala.None$")
    return {};
  auto x = view(id);
  if (x.is_object() && x.class_name() == "scala.Some") {
    if (auto value = x.field("value"))
      return value;
    // The name before Scala 2.12.
    if (auto value = x.field("x"))
      return value;
  }
  throw WireError{"is no option"};
}

std::optional<std::string> ScalaReader::optional_text(NodeId id) {
  auto found = option(id);
  return found ? std::optional{text(found->node())} : std::nullopt;
}

std::optional<std::int32_t> ScalaReader::optional_number(NodeId id) {
  auto found = option(id);
  return found ? std::optional{number(*found)} : std::nullopt;
}

// -- collections that have to be -----------------------------------------------

ScalaReader::Elements ScalaReader::elements(NodeId id) {
  if (auto found = find_elements(id))
    return std::move(*found);
  throw WireError{"is no sequence that is known: "
                  + std::string{view(id).class_name()}};
}

ScalaReader::Entries ScalaReader::entries(NodeId id) {
  if (auto found = find_entries(id))
    return std::move(*found);
  throw WireError{"is no map that is known: "
                  + std::string{view(id).class_name()}};
}

std::vector<std::string> ScalaReader::texts(NodeId id) {
  std::vector<std::string> result;
  for (const auto& x : elements(id))
    result.push_back(text(x.node()));
  return result;
}

std::map<std::string, std::string> ScalaReader::text_map(NodeId id) {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : entries(id))
    result.insert_or_assign(text(key.node()), text(value.node()));
  return result;
}

} // namespace stoker::spark
