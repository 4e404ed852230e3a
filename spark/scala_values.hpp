#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spark/java_graph.hpp"
#include "spark/java_view.hpp"

namespace stoker::spark {

/// A value of a scala.Enumeration.
struct ScalaEnumValue {
  /// The class of the enumeration, as "org.apache.spark.deploy.ExecutorState$".
  std::string_view enumeration;
  std::int32_t ordinal = 0;

  friend bool operator==(const ScalaEnumValue&, const ScalaEnumValue&)
      = default;
};

/// Reads what Scala's classes hold: options, collections, enumerations, singletons, as
/// the libraries of Scala 2.12 and 2.13 write them. A few bytes of a stream can refer to
/// the same thing again and again, so what is read is counted: all functions throw
/// WireError when more is asked for than real messages have for their size.
class ScalaReader {
public:
  using Elements = std::vector<JavaValue>;
  using Entries = std::vector<std::pair<JavaValue, JavaValue>>;

  /// @param generosity how many times what is usual may be read
  explicit ScalaReader(const JavaGraph& graph, std::size_t generosity = 1);

  [[nodiscard]] const JavaGraph& graph() const noexcept {
    return graph_;
  }

  /// Counts its fields.
  /// @throws WireError
  JavaView view(NodeId id);

  /// Counts elements, or bytes of text, that a caller makes.
  /// @throws WireError
  void spend(std::size_t count);

  // What a thing is; nothing if it is something else.

  /// The class of a singleton, as "scala.None$", whether it was written as an object or
  /// by its name (scala.runtime.ModuleSerializationProxy). Empty: it is none.
  std::string_view module_name(NodeId id);

  /// What is in a sequence or a set, or in an array.
  std::optional<Elements> find_elements(NodeId id);

  /// What is in a map.
  std::optional<Entries> find_entries(NodeId id);

  /// Whether something is a map, as far as its class tells.
  bool is_map(NodeId id);

  std::optional<ScalaEnumValue> find_enum_value(NodeId id);

  /// The number, truth value or character in a box of java.lang.
  std::optional<JavaValue> find_boxed(NodeId id);

  // What a value has to be.
  // @throws WireError if it is something else

  /// As UTF-8.
  std::string text(NodeId id);
  std::int64_t whole_number(JavaValue x);
  std::int32_t number(JavaValue x);
  double floating_number(JavaValue x);
  ScalaEnumValue enum_value(NodeId id);

  /// What is in a scala.Option; null is an empty one.
  std::optional<JavaValue> option(NodeId id);
  std::optional<std::string> optional_text(NodeId id);
  std::optional<std::int32_t> optional_number(NodeId id);

  Elements elements(NodeId id);
  Entries entries(NodeId id);
  std::vector<std::string> texts(NodeId id);

  /// Of keys that are there twice, the last one counts.
  std::map<std::string, std::string> text_map(NodeId id);

private:
  std::optional<Elements> find_elements(NodeId id, std::size_t depth);
  std::optional<Entries> find_entries(NodeId id, std::size_t depth);

  Elements array_elements(const JavaView& array, std::size_t count);
  std::optional<Elements> counted_array(const JavaView& x,
                                        std::string_view count);
  std::optional<Elements> vector_elements(const JavaView& x);
  std::optional<Elements> annotated_elements(const JavaView& x);
  Elements set_elements(const JavaView& x);
  Entries small_map_entries(const JavaView& x);
  std::optional<Entries> tuples(const Elements& xs);
  std::string_view factory_name(const JavaView& x);

  const JavaGraph& graph_;
  std::size_t left_ = 0;
};

} // namespace stoker::spark
