#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spark/java_graph.hpp"

namespace stoker::spark {

/// What can be asked of one thing of a graph.
class JavaView {
public:
  JavaView(const JavaGraph& graph, NodeId id)
      : graph_(&graph), node_(&graph.at(id)) {
  }

  [[nodiscard]] JavaKind kind() const noexcept {
    return node_->kind;
  }

  [[nodiscard]] bool is_object() const noexcept {
    return node_->kind == JavaKind::object;
  }

  [[nodiscard]] const JavaNode& node() const noexcept {
    return *node_;
  }

  /// The name of its class, as "scala.Some"; of a class literal the class that it is.
  /// Empty where there is none.
  [[nodiscard]] std::string_view class_name() const;

  /// The value of an object's field; of several with one name, that of the class which
  /// extends the others. A field of "a$$b" is also found as "b": Scala puts the class in
  /// front of what is private.
  [[nodiscard]] std::optional<JavaValue> field(std::string_view name) const;

  /// The same; null if there is no such field, or no reference in it.
  [[nodiscard]] NodeId reference(std::string_view name) const;

  /// An object's classes, the base class first, and where their slots begin.
  struct Part {
    NodeId type = null_node;
    std::size_t slot = 0;
  };
  [[nodiscard]] std::vector<Part> parts() const;

  /// What the classes of an object have written besides its fields.
  [[nodiscard]] std::vector<NodeId> annotations() const;

  /// The elements of an array.
  [[nodiscard]] std::size_t size() const noexcept {
    return node_->count;
  }

  /// @throws std::out_of_range
  [[nodiscard]] JavaValue element(std::size_t i) const;

private:
  const JavaGraph* graph_;
  const JavaNode* node_;
};

/// What a class has written besides the fields of an object; nothing if it does not.
std::vector<NodeId> annotations_of(const JavaGraph& graph, JavaView::Part part);

/// A field's name without the class that Scala puts in front: what follows the last
/// "$$".
std::string_view plain_name(std::string_view name) noexcept;

/// The classes of a graph and their serialVersionUIDs, in the order of the stream: they
/// tell which version of Spark has written it. A class with several stands there several
/// times.
std::vector<std::pair<std::string_view, std::int64_t>>
class_ids(const JavaGraph& graph);

} // namespace stoker::spark
