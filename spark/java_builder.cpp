#include "spark/java_builder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "spark/java_codes.hpp"
#include "spark/java_text.hpp"
#include "spark/java_writer.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

std::uint32_t number_of(NodeId x) {
  return static_cast<std::uint32_t>(x);
}

} // namespace

NodeId JavaBuilder::add(const JavaNode& x) {
  graph_.nodes.push_back(x);
  return static_cast<NodeId>(graph_.nodes.size() - 1);
}

// -- classes ------------------------------------------------------------------

const ClassLayout& JavaBuilder::layout_of(std::string_view name) const {
  const auto* result = table_.find(name);
  if (result == nullptr)
    throw WireError{"Spark " + table_.version() + " has no class "
                    + std::string{name}};
  return *result;
}

NodeId JavaBuilder::signature(const std::string& text) {
  auto [i, added] = signatures_.try_emplace(text, null_node);
  if (added) {
    JavaNode node;
    node.kind = JavaKind::text;
    node.text = text;
    i->second = add(node);
  }
  return i->second;
}

NodeId JavaBuilder::class_of(std::string_view name) {
  if (auto known = classes_.find(name); known != classes_.end())
    return known->second;
  const auto& layout = layout_of(name);
  JavaNode node;
  node.kind = JavaKind::class_description;
  node.is_complete = true;
  node.text = layout.name;
  node.uid = layout.id;
  node.flags = layout.flags;
  node.count = static_cast<std::uint32_t>(layout.fields.size());
  node.slots = node.count + (has_annotations(node) ? 1U : 0U);
  if (!layout.super.empty()) {
    node.type = class_of(layout.super);
    node.slots += graph_.at(node.type).slots;
    node.levels = graph_.at(node.type).levels + 1;
  }
  std::vector<JavaField> fields;
  for (const auto& x : layout.fields)
    fields.push_back(
        {x.type, x.name,
         is_reference_type(x.type) ? signature(x.signature) : null_node});
  node.first = static_cast<std::uint32_t>(graph_.fields.size());
  graph_.fields.insert(graph_.fields.end(), fields.begin(), fields.end());
  auto result = add(node);
  classes_.emplace(layout.name, result);
  return result;
}

// -- Java ---------------------------------------------------------------------

NodeId JavaBuilder::text(std::string_view utf8) {
  constexpr std::size_t short_bytes_max = 0xFFFF;
  JavaNode node;
  node.kind = JavaKind::text;
  node.text = texts_.emplace_back(to_modified_utf8(utf8));
  node.is_long = node.text.size() > short_bytes_max;
  return add(node);
}

NodeId JavaBuilder::object(std::string_view class_name,
                           std::initializer_list<Field> fields) {
  JavaNode node;
  node.kind = JavaKind::object;
  node.type = class_of(class_name);
  node.first = static_cast<std::uint32_t>(graph_.slots.size());
  node.count = graph_.at(node.type).slots;
  graph_.slots.resize(graph_.slots.size() + node.count);
  // From the end: the slots of the base class are the first ones.
  auto end = graph_.slots.size();
  for (auto type = node.type; type != null_node; type = graph_.at(type).type) {
    const auto& level = graph_.at(type);
    auto slot = end - level.count - (has_annotations(level) ? 1U : 0U);
    end = slot;
    for (std::size_t i = 0; i < level.count; ++i, ++slot) {
      const auto& name = graph_.fields.at(level.first + i).name;
      auto given = std::find_if(fields.begin(), fields.end(),
                                [&](const auto& x) { return x.name == name; });
      if (given != fields.end())
        graph_.slots.at(slot) = given->slot;
    }
  }
  return add(node);
}

NodeId JavaBuilder::enum_constant(std::string_view class_name,
                                  std::string_view constant) {
  JavaNode node;
  node.kind = JavaKind::enum_constant;
  node.type = class_of(class_name);
  node.first = number_of(text(constant));
  return add(node);
}

NodeId JavaBuilder::boolean(bool x) {
  return object("java.lang.Boolean", {{"value", x ? 1 : 0}});
}

NodeId JavaBuilder::integer(std::int32_t x) {
  return object("java.lang.Integer", {{"value", x}});
}

NodeId JavaBuilder::text_array(const std::vector<std::string>& x) {
  std::vector<NodeId> elements;
  for (const auto& element : x)
    elements.push_back(text(element));
  JavaNode node;
  node.kind = JavaKind::array;
  node.type = class_of("[Ljava.lang.String;");
  node.first = static_cast<std::uint32_t>(graph_.slots.size());
  node.count = static_cast<std::uint32_t>(elements.size());
  for (auto element : elements)
    graph_.slots.push_back(JavaSlot::of(element));
  return add(node);
}

NodeId JavaBuilder::block(std::int32_t x) {
  std::string bytes;
  for (unsigned shift = 32; shift > 0; shift -= 8)
    bytes += static_cast<char>(static_cast<std::uint32_t>(x) >> (shift - 8));
  JavaNode node;
  node.kind = JavaKind::block;
  node.text = texts_.emplace_back(std::move(bytes));
  return add(node);
}

NodeId JavaBuilder::annotated(std::string_view class_name,
                              std::initializer_list<Field> fields,
                              const std::vector<NodeId>& annotations) {
  auto result = object(class_name, fields);
  auto first = static_cast<std::uint32_t>(graph_.slots.size());
  for (auto x : annotations)
    graph_.slots.push_back(JavaSlot::of(x));
  const auto& node = graph_.at(result);
  graph_.slots.at(node.first + node.count - 1) = JavaSlot::of_range(
      first, static_cast<std::uint32_t>(annotations.size()));
  return result;
}

// -- Scala --------------------------------------------------------------------

NodeId JavaBuilder::singleton(std::string_view class_name) {
  // Scala 2.12 replaces what it reads by the one that it has, whatever is in it.
  if (is_scala_2_12())
    return object(class_name);
  JavaNode literal;
  literal.kind = JavaKind::class_literal;
  literal.type = class_of(class_name);
  return object("scala.runtime.ModuleSerializationProxy",
                {{"moduleClass", add(literal)}});
}

NodeId JavaBuilder::none() {
  if (none_ == null_node)
    none_ = singleton("scala.None$");
  return none_;
}

NodeId JavaBuilder::some(NodeId x) {
  return object("scala.Some", {{"value", x}});
}

NodeId JavaBuilder::option(const std::optional<std::string>& x) {
  return x ? some(text(*x)) : none();
}

NodeId JavaBuilder::option(std::optional<std::int32_t> x) {
  return x ? some(integer(*x)) : none();
}

NodeId JavaBuilder::enumeration(std::string_view class_name,
                                std::int32_t ordinal) {
  auto all = singleton(class_name);
  return object(
      "scala.Enumeration$Val",
      {{"i", ordinal}, {"$outer", all}, {"scala$Enumeration$$outerEnum", all}});
}

NodeId JavaBuilder::empty_map() {
  return singleton("scala.collection.immutable.Map$EmptyMap$");
}

NodeId JavaBuilder::collection(std::string_view kind, std::string_view factory,
                               std::vector<NodeId> elements) {
  elements.insert(elements.begin(),
                  block(static_cast<std::int32_t>(elements.size())));
  auto made_by = object(kind, {{"factory", singleton(factory)}});
  return annotated("scala.collection.generic.DefaultSerializationProxy",
                   {{"factory", made_by}}, elements);
}

NodeId JavaBuilder::list(const std::vector<NodeId>& elements) {
  if (!is_scala_2_12())
    return collection("scala.collection.IterableFactory$ToFactory",
                      "scala.collection.immutable.List$", elements);
  auto ended = elements;
  ended.push_back(singleton("scala.collection.immutable.ListSerializeEnd$"));
  return annotated("scala.collection.immutable.List$SerializationProxy", {},
                   ended);
}

NodeId JavaBuilder::list(const std::vector<std::string>& elements) {
  std::vector<NodeId> nodes;
  for (const auto& x : elements)
    nodes.push_back(text(x));
  return list(nodes);
}

NodeId JavaBuilder::map(const std::vector<Entry>& entries) {
  if (entries.empty())
    return empty_map();
  std::vector<NodeId> elements;
  if (!is_scala_2_12()) {
    for (const auto& [key, value] : entries)
      elements.push_back(object("scala.Tuple2", {{"_1", key}, {"_2", value}}));
    return collection("scala.collection.MapFactory$ToFactory",
                      "scala.collection.immutable.Map$", std::move(elements));
  }
  elements.push_back(block(static_cast<std::int32_t>(entries.size())));
  for (const auto& [key, value] : entries)
    elements.insert(elements.end(), {key, value});
  return annotated("scala.collection.immutable.HashMap$SerializationProxy", {},
                   elements);
}

// -- Spark --------------------------------------------------------------------

NodeId JavaBuilder::address(const RpcAddress& x) {
  return object("org.apache.spark.rpc.RpcAddress",
                {{"port", x.port}, {"host", text(x.host)}});
}

NodeId JavaBuilder::endpoint(std::string_view name, const RpcAddress& where) {
  auto url = "spark://" + std::string{name} + '@' + where.host + ':'
             + std::to_string(where.port);
  auto named = object("org.apache.spark.rpc.RpcEndpointAddress",
                      {{"name", text(name)},
                       {"rpcAddress", address(where)},
                       {"toString", text(url)}});
  constexpr std::int64_t ask_timeout_s = 120;
  auto duration = object(
      "scala.concurrent.duration.FiniteDuration",
      {{"length", ask_timeout_s},
       {"unit", enum_constant("java.util.concurrent.TimeUnit", "SECONDS")}});
  auto timeout = object(
      "org.apache.spark.rpc.RpcTimeout",
      {{"duration", duration}, {"timeoutProp", text("spark.rpc.askTimeout")}});
  return object("org.apache.spark.rpc.netty.NettyRpcEndpointRef",
                {{"endpointAddress", named}, {"defaultAskTimeout", timeout}});
}

// -- the result ---------------------------------------------------------------

std::string JavaBuilder::write(NodeId root) const {
  std::string result;
  append_java(result, graph_, root);
  return result;
}

} // namespace stoker::spark
