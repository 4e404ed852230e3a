#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spark/java_graph.hpp"
#include "spark/java_view.hpp"
#include "spark/scala_values.hpp"

namespace stoker::spark {

/// The fields of an object that has to be of some class. All functions throw a WireError
/// that names the field.
class FieldReader {
public:
  /// @param what The object, for errors: as "RegisterWorker"
  /// @throws WireError when there is no object
  FieldReader(ScalaReader& in, NodeId id, std::string_view what);

  [[nodiscard]] NodeId id() const noexcept {
    return id_;
  }

  [[nodiscard]] ScalaReader& values() const noexcept {
    return in_;
  }

  [[nodiscard]] std::string_view class_name() const {
    return object_.class_name();
  }

  [[nodiscard]] bool has(std::string_view name) const {
    return object_.field(name).has_value();
  }

  /// What it refers to, or null.
  [[nodiscard]] NodeId reference(std::string_view name) const;

  /// An object in a field.
  [[nodiscard]] FieldReader object(std::string_view name) const;

  [[nodiscard]] std::string text(std::string_view name) const;

  /// The same; empty where it is null.
  [[nodiscard]] std::string text_or_empty(std::string_view name) const;
  [[nodiscard]] std::int32_t number(std::string_view name) const;
  [[nodiscard]] std::int64_t long_number(std::string_view name) const;
  [[nodiscard]] double floating_number(std::string_view name) const;
  [[nodiscard]] bool truth(std::string_view name) const;
  [[nodiscard]] std::optional<std::string>
  optional_text(std::string_view name) const;
  [[nodiscard]] std::optional<std::int32_t>
  optional_number(std::string_view name) const;

  /// What is in an option, or null.
  [[nodiscard]] NodeId optional_reference(std::string_view name) const;

  /// A value of an enumeration that has `count` of them, numbered from 0.
  template <class Enum>
  [[nodiscard]] Enum enumerator(std::string_view name, Enum last) const {
    return static_cast<Enum>(
        ordinal(name, static_cast<std::int32_t>(last) + 1));
  }

  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::map<std::string, std::string>
  text_map(std::string_view name) const;
  [[nodiscard]] ScalaReader::Elements elements(std::string_view name) const;
  [[nodiscard]] ScalaReader::Entries entries(std::string_view name) const;

private:
  [[nodiscard]] JavaValue value(std::string_view name) const;
  [[nodiscard]] std::int32_t ordinal(std::string_view name,
                                     std::int32_t count) const;

  /// Calls `read`, whose errors then name the field.
  template <class Read>
  auto named(std::string_view name, Read read) const;

  ScalaReader& in_;
  NodeId id_;
  std::string_view what_;
  JavaView object_;
};

} // namespace stoker::spark
