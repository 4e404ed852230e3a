#pragma once

// JSON Schema (2020-12), as far as docs/schemas and the OpenAPI document use it.

#include <functional>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace stoker::test {

/// A schema. Knows the keywords `$ref` (within the document), `type`, `enum`,
/// `const`, `minimum`, `maximum`, `minLength`, `maxLength`, `pattern`, `anyOf`,
/// `oneOf`, `items`, `minItems`, `maxItems`, `properties`, `required`,
/// `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`,
/// and annotations.
class JsonSchema {
public:
  /// @throws std::runtime_error for a schema that does not say what it seems
  /// to: an unknown keyword, a reference to nothing, a required property that
  /// is not described, an object that leaves open whether others are allowed.
  explicit JsonSchema(boost::json::value schema);

  /// The schema at a JSON pointer in a document, where its references lead.
  /// @throws std::runtime_error as above, but for what it refers to
  JsonSchema(boost::json::value document, std::string pointer);

  /// @throws std::runtime_error
  static JsonSchema read(const std::string& file);

  /// What is wrong with `x`, each with its JSON pointer; empty: it is valid.
  [[nodiscard]] std::vector<std::string>
  problems(const boost::json::value& x) const;

  /// Calls `f` for each object in the valid `x` that the schema describes by
  /// its properties, with its JSON pointer and the schema of it.
  using Visitor
      = std::function<void(const std::string&, const boost::json::object&)>;
  void visit(const boost::json::value& x, const Visitor& f) const;

private:
  using Problems = std::vector<std::string>;

  void require_sound(const boost::json::value& schema,
                     const std::string& path) const;
  void require_sound_object(const boost::json::object& schema,
                            const std::string& path) const;
  [[nodiscard]] const boost::json::value*
  referred(const boost::json::value& reference) const;

  void check(const boost::json::value& schema, const boost::json::value& x,
             const std::string& path, Problems& out) const;
  void check_object(const boost::json::object& schema,
                    const boost::json::object& x, const std::string& path,
                    Problems& out) const;
  void visit(const boost::json::value& schema, const boost::json::value& x,
             const std::string& path, const Visitor& f) const;

  [[nodiscard]] const boost::json::value& schema() const {
    return document_.at_pointer(pointer_);
  }

  boost::json::value document_;
  std::string pointer_;
};

/// Why the schema does not hold `x` to what it says, empty if it does: `x` is
/// not valid, or it would still be valid without a required member or with
/// one that nobody has described, anywhere in it.
std::vector<std::string> schema_gaps(const JsonSchema& schema,
                                     const boost::json::value& x);

} // namespace stoker::test
