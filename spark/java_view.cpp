#include "spark/java_view.hpp"

#include <algorithm>

#include "spark/bytes.hpp"
#include "spark/java_codes.hpp"

namespace stoker::spark {

std::string_view JavaView::class_name() const {
  switch (node_->kind) {
  case JavaKind::object:
  case JavaKind::array:
  case JavaKind::enum_constant:
  case JavaKind::class_literal:
    return graph_->at(node_->type).text;
  default:
    return {};
  }
}

std::optional<JavaValue> JavaView::field(std::string_view name) const {
  if (!is_object())
    return {};
  for (auto type = node_->type; type != null_node;
       type = graph_->at(type).type) {
    const auto& x = graph_->at(type);
    if (is_externalizable(x))
      return {};
    auto slot = std::size_t{node_->first} + graph_->at(x.type).slots;
    for (std::size_t i = 0; i < x.count; ++i) {
      const auto& field = graph_->fields.at(x.first + i);
      if (field.name == name
          || (field.name.size() > name.size()
              && plain_name(field.name) == name))
        return JavaValue{field.type, graph_->slots.at(slot + i)};
    }
  }
  return {};
}

NodeId JavaView::reference(std::string_view name) const {
  auto found = field(name);
  return found ? found->node() : null_node;
}

std::vector<JavaView::Part> JavaView::parts() const {
  std::vector<Part> result;
  if (!is_object())
    return result;
  for (auto type = node_->type; type != null_node;
       type = graph_->at(type).type) {
    const auto& x = graph_->at(type);
    auto below = is_externalizable(x) ? 0 : graph_->at(x.type).slots;
    result.push_back({type, std::size_t{node_->first} + below});
    if (is_externalizable(x))
      break;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<NodeId> annotations_of(const JavaGraph& graph,
                                   JavaView::Part part) {
  const auto& type = graph.at(part.type);
  std::vector<NodeId> result;
  if (!has_annotations(type))
    return result;
  auto behind_fields = is_externalizable(type) ? 0 : type.count;
  auto range = graph.slots.at(part.slot + behind_fields);
  result.reserve(range.range_count());
  for (std::size_t i = 0; i < range.range_count(); ++i)
    result.push_back(graph.slots.at(range.range_first() + i).node());
  return result;
}

std::vector<NodeId> JavaView::annotations() const {
  std::vector<NodeId> result;
  for (auto part : parts()) {
    auto more = annotations_of(*graph_, part);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

JavaValue JavaView::element(std::size_t i) const {
  auto type = class_name().at(1);
  if (is_reference_type(type))
    return {type, graph_->slots.at(node_->first + i)};
  auto bytes = bytes_of_type(type);
  ByteReader in{node_->text.substr(i * bytes, bytes)};
  std::uint64_t bits = 0;
  while (in.left() > 0)
    bits = bits << 8U | in.take<std::uint8_t>();
  return {type, {bits}};
}

std::string_view plain_name(std::string_view name) noexcept {
  auto at = name.rfind("$$");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::vector<std::pair<std::string_view, std::int64_t>>
class_ids(const JavaGraph& graph) {
  std::vector<std::pair<std::string_view, std::int64_t>> result;
  for (const auto& x : graph.nodes)
    if (x.kind == JavaKind::class_description)
      result.emplace_back(x.text, x.uid);
  return result;
}

} // namespace stoker::spark
