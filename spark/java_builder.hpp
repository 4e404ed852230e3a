#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spark/java_graph.hpp"
#include "spark/rpc_message.hpp"
#include "spark/version_tables.hpp"

namespace stoker::spark {

/// Makes the things of one message as a version of Spark writes them, down to the
/// encodings of Scala's values, which differ between 2.12 and 2.13.
/// All functions throw WireError for a class that this version does not have.
class JavaBuilder {
public:
  explicit JavaBuilder(const VersionTable& table) : table_(table) {
  }

  /// A field of an object: its value, or the thing that it refers to.
  struct Field {
    Field(std::string_view n, NodeId x) : name(n), slot(JavaSlot::of(x)) {
    }
    Field(std::string_view n, std::int64_t x)
        : name(n), slot{static_cast<std::uint64_t>(x)} {
    }

    std::string_view name;
    JavaSlot slot;
  };

  // -- Java -------------------------------------------------------------------

  /// A new one each time, since Java's streams tell equal texts apart.
  NodeId text(std::string_view utf8);

  /// Fields that are not named are 0 or null, those of super classes as well.
  NodeId object(std::string_view class_name,
                std::initializer_list<Field> fields = {});
  NodeId enum_constant(std::string_view class_name, std::string_view constant);
  NodeId boolean(bool x);
  NodeId integer(std::int32_t x);
  NodeId text_array(const std::vector<std::string>& x);

  // -- Scala ------------------------------------------------------------------

  NodeId none();
  NodeId some(NodeId x);

  /// None, or some of what there is.
  NodeId option(const std::optional<std::string>& x);
  NodeId option(std::optional<std::int32_t> x);

  /// An object that there is one of, as `org.apache.spark.deploy.ExecutorState$`.
  NodeId singleton(std::string_view class_name);

  /// A value of an Enumeration.
  NodeId enumeration(std::string_view class_name, std::int32_t ordinal);
  NodeId empty_map();

  /// An immutable List.
  NodeId list(const std::vector<NodeId>& elements);
  NodeId list(const std::vector<std::string>& elements);

  /// An immutable Map.
  struct Entry {
    NodeId key = null_node;
    NodeId value = null_node;
  };
  NodeId map(const std::vector<Entry>& entries);

  // -- Spark ------------------------------------------------------------------

  NodeId address(const RpcAddress& x);

  /// A reference to an endpoint that listens there (NettyRpcEndpointRef). Whoever asks by
  /// it waits for an answer for 120 s, which is Spark's default.
  NodeId endpoint(std::string_view name, const RpcAddress& where);

  // -- the result -------------------------------------------------------------

  /// A stream that holds this thing alone.
  [[nodiscard]] std::string write(NodeId root) const;

  /// For what is no part of this class.
  [[nodiscard]] const JavaGraph& graph() const noexcept {
    return graph_;
  }

private:
  NodeId add(const JavaNode& x);
  NodeId class_of(std::string_view name);
  NodeId signature(const std::string& text);

  /// A number that a class has written behind its fields.
  NodeId block(std::int32_t x);

  /// An object of a class that writes more behind its fields.
  NodeId annotated(std::string_view class_name,
                   std::initializer_list<Field> fields,
                   const std::vector<NodeId>& annotations);

  /// A collection, by what Scala 2.13 makes one of: `factory` of `kind`.
  NodeId collection(std::string_view kind, std::string_view factory,
                    std::vector<NodeId> elements);

  [[nodiscard]] bool is_scala_2_12() const {
    return table_.scala() == "2.12";
  }
  const ClassLayout& layout_of(std::string_view name) const;

  const VersionTable& table_;
  JavaGraph graph_;

  /// What the graph's texts are kept in, which must not move.
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, NodeId> classes_;
  std::unordered_map<std::string_view, NodeId> signatures_;
  NodeId none_ = null_node;
};

} // namespace stoker::spark
