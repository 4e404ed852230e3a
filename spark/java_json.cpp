#include "spark/java_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "spark/java_text.hpp"
#include "spark/scala_values.hpp"

namespace stoker::spark {

namespace {

namespace json = boost::json;

constexpr std::size_t shown_depth_max = 60;

/// What people read may be larger than what a master takes.
constexpr std::size_t reading_generosity = 16;

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(2 * bytes.size());
  for (auto c : bytes) {
    auto x = static_cast<unsigned char>(c);
    result += digits[x >> 4U];
    result += digits[x & 15U];
  }
  return result;
}

/// As short as it can be, and always with a dot or an exponent.
std::string floating_text(double x) {
  if (std::isnan(x))
    return "NaN";
  if (std::isinf(x))
    return x < 0 ? "-Infinity" : "Infinity";
  auto size = std::abs(x);
  auto format = x == 0 || (size >= 1e-4 && size < 1e16)
                    ? std::chars_format::fixed
                    : std::chars_format::scientific;
  std::array<char, 64> digits{};
  auto* end
      = std::to_chars(digits.data(), digits.data() + digits.size(), x, format)
            .ptr;
  std::string result{digits.data(), end};
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return result;
}

/// The JSON of a key, with spaces as Python's json.dumps has them: such keys stand in
/// lists of recorded frames.
void append_key_json(std::string& out, const json::value& x) {
  if (const auto* object = x.if_object()) {
    const char* before = "{";
    for (const auto& entry : *object) {
      out += before;
      before = ", ";
      out += json::serialize(entry.key()) + ": ";
      append_key_json(out, entry.value());
    }
    out += object->empty() ? "{}" : "}";
  } else if (const auto* array = x.if_array()) {
    const char* before = "[";
    for (const auto& element : *array) {
      out += before;
      before = ", ";
      append_key_json(out, element);
    }
    out += array->empty() ? "[]" : "]";
  } else if (const auto* number = x.if_double()) {
    out += floating_text(*number);
  } else {
    out += json::serialize(x);
  }
}

std::string_view last_part(std::string_view name) {
  auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

class JsonOfGraph {
public:
  explicit JsonOfGraph(const JavaGraph& graph)
      : graph_(graph), in_(graph, reading_generosity) {
  }

  json::value value_of(NodeId id) {
    in_.spend(1);
    if (id == null_node)
      return nullptr;
    if (open_.size() > shown_depth_max)
      return "...";
    auto is_open = std::find(open_.begin(), open_.end(), id) != open_.end();
    auto kind = graph_.at(id).kind;
    if (is_open && (kind == JavaKind::object || kind == JavaKind::array))
      return "<cycle>";
    open_.push_back(id);
    auto result = new_value(id);
    open_.pop_back();
    return result;
  }

private:
  json::value value_of(JavaValue x) {
    switch (x.type) {
    case 'L':
    case '[':
      return value_of(x.node());
    case 'D':
    case 'F':
      // JSON has no others.
      if (!std::isfinite(x.floating()))
        return json::string(floating_text(x.floating()));
      return x.floating();
    case 'Z':
      return x.slot.bits != 0;
    default:
      return x.whole();
    }
  }

  /// A name or a text of the graph.
  std::string spelled(std::string_view text) {
    in_.spend(text.size());
    return to_utf8(text);
  }

  json::value new_value(NodeId id) {
    const auto& x = graph_.at(id);
    switch (x.kind) {
    case JavaKind::null:
      return nullptr;
    case JavaKind::text:
      return json::string(spelled(x.text));
    case JavaKind::class_description:
      return json::string("desc " + spelled(x.text));
    case JavaKind::object:
      return object(id);
    case JavaKind::array:
      return array(id);
    case JavaKind::enum_constant:
      return json::string(
          spelled(graph_.at(static_cast<NodeId>(x.first)).text));
    case JavaKind::class_literal:
      return json::string("class " + spelled(graph_.at(x.type).text));
    case JavaKind::block:
      in_.spend(x.text.size());
      return json::object{{"block", hex_of(x.text)}};
    }
    return nullptr;
  }

  json::value array(NodeId id) {
    const auto& x = graph_.at(id);
    if (in_.view(id).class_name() == "[B") {
      in_.spend(x.text.size());
      return json::string(hex_of(x.text));
    }
    return list(*in_.find_elements(id));
  }

  json::value list(const ScalaReader::Elements& xs) {
    json::array result;
    for (const auto& x : xs)
      result.push_back(value_of(x));
    return result;
  }

  json::value map(const ScalaReader::Entries& xs) {
    json::object result;
    for (const auto& [key, value] : xs) {
      auto name = key_text(value_of(key));
      result[name] = value_of(value);
    }
    return result;
  }

  std::string key_text(const json::value& key) {
    if (const auto* text = key.if_string())
      return std::string{*text};
    std::string result;
    append_key_json(result, key);
    in_.spend(result.size());
    return result;
  }

  json::value object(NodeId id) {
    auto x = in_.view(id);
    auto name = x.class_name();
    auto module = in_.module_name(id);
    if (module == "scala.None$")
      return nullptr;
    if (name == "scala.Some")
      return json::array{value_of(*in_.option(id))};
    if (auto boxed = in_.find_boxed(id))
      return value_of(*boxed);
    if (auto constant = in_.find_enum_value(id))
      return {{"enum", spelled(constant->enumeration)},
              {"id", constant->ordinal}};
    if (name.starts_with("scala.Tuple"))
      return list(tuple(x));
    if (in_.is_map(id)) {
      if (auto entries = in_.find_entries(id))
        return map(*entries);
    } else if (auto elements = in_.find_elements(id)) {
      return list(*elements);
    }
    if (!module.empty())
      return json::object{{"module", spelled(module)}};
    return fields(x);
  }

  ScalaReader::Elements tuple(const JavaView& x) {
    ScalaReader::Elements result;
    // As many as tuples may have.
    for (std::size_t i = 1; i <= 22; ++i) {
      auto found = x.field("_" + std::to_string(i));
      if (!found)
        break;
      result.push_back(*found);
    }
    in_.spend(result.size());
    return result;
  }

  json::value fields(const JavaView& x) {
    json::object result;
    result["@"] = spelled(x.class_name());
    for (auto part : x.parts()) {
      const auto& type = graph_.at(part.type);
      if (!is_externalizable(type))
        for (std::size_t i = 0; i < type.count; ++i) {
          const auto& field = graph_.fields.at(type.first + i);
          result[spelled(field.name)]
              = value_of(JavaValue{field.type, graph_.slots.at(part.slot + i)});
        }
      auto noted = annotations_of(graph_, part);
      if (noted.empty())
        continue;
      json::array list;
      for (auto id : noted)
        list.push_back(value_of(id));
      result["@ann:" + spelled(last_part(type.text))] = std::move(list);
    }
    return result;
  }

  const JavaGraph& graph_;
  ScalaReader in_;

  /// What the present value stands in.
  std::vector<NodeId> open_;
};

} // namespace

json::value java_json(const JavaGraph& graph, NodeId root) {
  return JsonOfGraph{graph}.value_of(root);
}

} // namespace stoker::spark
