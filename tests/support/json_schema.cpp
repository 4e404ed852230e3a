#include "tests/support/json_schema.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace stoker::test {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 28> keywords{"$schema",
                                                    "$defs",
                                                    "$ref",
                                                    "title",
                                                    "description",
                                                    "type",
                                                    "enum",
                                                    "const",
                                                    "anyOf",
                                                    "oneOf",
                                                    "prefixItems",
                                                    "items",
                                                    "properties",
                                                    "required",
                                                    "propertyNames",
                                                    "additionalProperties",
                                                    "minProperties",
                                                    "maxProperties",
                                                    "contentEncoding",
                                                    "minimum",
                                                    "maximum",
                                                    "minLength",
                                                    "maxLength",
                                                    "pattern",
                                                    "minItems",
                                                    "maxItems",
                                                    "format",
                                                    "default"};

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw std::runtime_error{(path.empty() ? "the schema" : path) + ": "
                           + problem};
}

bool has_type(const json::value& x, std::string_view type) {
  if (type == "integer")
    return x.is_int64() || x.is_uint64();
  if (type == "number")
    return x.is_number();
  if (type == "string")
    return x.is_string();
  if (type == "boolean")
    return x.is_bool();
  if (type == "array")
    return x.is_array();
  if (type == "object")
    return x.is_object();
  return type == "null" && x.is_null();
}

bool is_type(const json::value& x) {
  return x.is_string()
         && (x == "integer" || x == "number" || x == "string" || x == "boolean"
             || x == "array" || x == "object" || x == "null");
}

/// One or several.
json::array as_list(const json::value& x) {
  return x.is_array() ? x.get_array() : json::array{x};
}

bool contains(const json::array& list, const json::value& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

std::string member_path(const std::string& path, std::string_view key) {
  auto result = path + '/';
  for (auto c : key)
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  return result;
}

/// As JSON Schema counts the length of a text.
std::int64_t characters_in(std::string_view x) {
  return std::count_if(x.begin(), x.end(),
                       [](char c) { return (c & 0xC0) != 0x80; });
}

/// What is wrong with the size of a number, a text or a list; empty: nothing.
std::string out_of_bounds(const json::object& schema, const json::value& x) {
  std::int64_t size = 0;
  const char* least = "minimum";
  const char* most = "maximum";
  if (x.is_int64()) {
    size = x.get_int64();
  } else if (x.is_string()) {
    size = characters_in(std::string_view{x.get_string()});
    least = "minLength";
    most = "maxLength";
  } else if (x.is_array()) {
    size = std::ssize(x.get_array());
    least = "minItems";
    most = "maxItems";
  } else {
    return {};
  }
  for (const auto* key : {least, most})
    if (const auto* bound = schema.if_contains(key)) {
      auto limit = bound->to_number<std::int64_t>();
      if (key == least ? size < limit : size > limit)
        return std::to_string(size) + " is beyond " + key + ' '
               + std::to_string(limit);
    }
  const auto* pattern = schema.if_contains("pattern");
  if (pattern && x.is_string()
      && !std::regex_search(x.get_string().begin(), x.get_string().end(),
                            std::regex{pattern->as_string().c_str()}))
    return "does not have the form " + std::string{pattern->as_string()};
  return {};
}

/// The subschemas that stand in an array.
constexpr std::array<const char*, 2> choices{"anyOf", "oneOf"};

/// What an element of a list has to be: the first ones may differ. Null: anything.
const json::value* schema_of_item(const json::object& schema, std::size_t i) {
  const auto* first = schema.if_contains("prefixItems");
  return first && i < first->as_array().size() ? &first->as_array()[i]
                                               : schema.if_contains("items");
}

} // namespace

// -- the schema itself --------------------------------------------------------

JsonSchema::JsonSchema(json::value schema)
    : JsonSchema(std::move(schema), std::string{}) {
}

JsonSchema::JsonSchema(json::value document, std::string pointer)
    : document_(std::move(document)), pointer_(std::move(pointer)) {
  require_sound(schema(), "");
}

JsonSchema JsonSchema::read(const std::string& file) {
  std::ifstream in{file};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  json::error_code error;
  auto value = json::parse(text, error);
  if (!in || error)
    throw std::runtime_error{file + " is not JSON"};
  return JsonSchema{std::move(value)};
}

const json::value* JsonSchema::referred(const json::value& reference) const {
  std::string_view text = reference.is_string()
                              ? std::string_view{reference.get_string()}
                              : std::string_view{};
  if (!text.starts_with('#'))
    return nullptr;
  json::error_code error;
  return document_.find_pointer(text.substr(1), error);
}

void JsonSchema::require_sound(const json::value& schema,
                               const std::string& path) const {
  if (schema.is_bool())
    return;
  if (!schema.is_object())
    fail(path, "is not a schema");
  const auto& object = schema.get_object();
  for (const auto& member : object)
    if (std::find(keywords.begin(), keywords.end(), member.key())
        == keywords.end())
      fail(path, "unknown keyword " + std::string{member.key()});
  if (const auto* x = object.if_contains("$ref"); x && !referred(*x))
    fail(path, "refers to nothing");
  if (const auto* x = object.if_contains("type"))
    for (const auto& type : as_list(*x))
      if (!is_type(type))
        fail(path, "unknown type");
  for (const auto* key : {"items", "propertyNames", "additionalProperties"})
    if (const auto* x = object.if_contains(key))
      require_sound(*x, path + '/' + key);
  for (const auto* key : {"anyOf", "oneOf", "prefixItems"})
    if (const auto* x = object.if_contains(key))
      for (const auto& choice : x->as_array())
        require_sound(choice, path + '/' + key);
  if (const auto* x = object.if_contains("$defs"))
    for (const auto& member : x->as_object())
      require_sound(member.value(), path + '/' + std::string{member.key()});
  require_sound_object(object, path);
}

void JsonSchema::require_sound_object(const json::object& schema,
                                      const std::string& path) const {
  const auto* properties = schema.if_contains("properties");
  if (properties == nullptr) {
    if (schema.contains("required"))
      fail(path, "requires what it does not describe");
    return;
  }
  if (!schema.contains("additionalProperties"))
    fail(path, "leaves other properties open");
  for (const auto& member : properties->as_object()) {
    auto name = path + '/' + std::string{member.key()};
    require_sound(member.value(), name);
    const auto* text = member.value().as_object().if_contains("description");
    if (member.value().as_object().contains("const"))
      continue;
    if (text == nullptr || text->as_string().empty())
      fail(name, "has no description");
  }
  if (const auto* required = schema.if_contains("required"))
    for (const auto& name : required->as_array())
      if (!properties->as_object().contains(name.as_string()))
        fail(path, "requires what it does not describe");
}

// -- validation ---------------------------------------------------------------

std::vector<std::string> JsonSchema::problems(const json::value& x) const {
  Problems result;
  check(schema(), x, "", result);
  return result;
}

void JsonSchema::check(const json::value& schema, const json::value& x,
                       const std::string& path, Problems& out) const {
  auto wrong = [&](const std::string& problem) {
    out.push_back((path.empty() ? "the value" : path) + ": " + problem);
  };
  if (schema.is_bool()) {
    if (!schema.get_bool())
      wrong("must not be there");
    return;
  }
  const auto& s = schema.get_object();
  if (const auto* reference = s.if_contains("$ref"))
    check(*referred(*reference), x, path, out);
  if (const auto* type = s.if_contains("type")) {
    auto types = as_list(*type);
    auto fits
        = [&](const json::value& t) { return has_type(x, t.get_string()); };
    if (std::none_of(types.begin(), types.end(), fits))
      return wrong("is not of type " + json::serialize(*type));
  }
  if (const auto* values = s.if_contains("enum"))
    if (!contains(values->as_array(), x))
      wrong("is " + json::serialize(x) + ", none of "
            + json::serialize(*values));
  if (const auto* value = s.if_contains("const"); value && *value != x)
    wrong("is not " + json::serialize(*value));
  for (const auto* key : choices)
    if (const auto* list = s.if_contains(key)) {
      Problems of_choices;
      std::size_t fitting = 0;
      for (const auto& choice : list->as_array()) {
        Problems of_one;
        check(choice, x, path, of_one);
        fitting += of_one.empty() ? 1 : 0;
        of_choices.insert(of_choices.end(), of_one.begin(), of_one.end());
      }
      if (fitting == 0)
        out.insert(out.end(), of_choices.begin(), of_choices.end());
      else if (fitting > 1 && std::string_view{key} == "oneOf")
        wrong("fits more than one of the alternatives");
    }
  if (auto problem = out_of_bounds(s, x); !problem.empty())
    wrong(problem);
  if (x.is_array())
    for (std::size_t i = 0; i < x.get_array().size(); ++i)
      if (const auto* item = schema_of_item(s, i))
        check(*item, x.get_array()[i], path + '/' + std::to_string(i), out);
  if (x.is_object())
    check_object(s, x.get_object(), path, out);
}

void JsonSchema::check_object(const json::object& schema, const json::object& x,
                              const std::string& path, Problems& out) const {
  auto where = path.empty() ? std::string{"the value"} : path;
  if (const auto* required = schema.if_contains("required"))
    for (const auto& name : required->as_array())
      if (!x.contains(name.as_string()))
        out.push_back(where + ": lacks " + std::string{name.as_string()});
  if (const auto* least = schema.if_contains("minProperties"))
    if (x.size() < least->to_number<std::size_t>())
      out.push_back(where + ": has too few members");
  if (const auto* most = schema.if_contains("maxProperties"))
    if (x.size() > most->to_number<std::size_t>())
      out.push_back(where + ": has too many members");
  const auto* properties = schema.if_contains("properties");
  const auto* others = schema.if_contains("additionalProperties");
  const auto* names = schema.if_contains("propertyNames");
  for (const auto& member : x) {
    auto member_at = member_path(path, member.key());
    if (names != nullptr)
      check(*names, json::value(member.key()), member_at, out);
    const auto* described
        = properties ? properties->as_object().if_contains(member.key())
                     : nullptr;
    if (described == nullptr)
      described = others;
    if (described != nullptr)
      check(*described, member.value(), member_at, out);
  }
}

// -- what a schema covers -----------------------------------------------------

void JsonSchema::visit(const json::value& x, const Visitor& f) const {
  visit(schema(), x, "", f);
}

void JsonSchema::visit(const json::value& schema, const json::value& x,
                       const std::string& path, const Visitor& f) const {
  if (!schema.is_object())
    return;
  const auto& s = schema.get_object();
  if (const auto* reference = s.if_contains("$ref"))
    visit(*referred(*reference), x, path, f);
  for (const auto* key : choices)
    if (const auto* list = s.if_contains(key))
      for (const auto& choice : list->as_array()) {
        Problems of_one;
        check(choice, x, path, of_one);
        if (of_one.empty())
          visit(choice, x, path, f);
      }
  if (x.is_array())
    for (std::size_t i = 0; i < x.get_array().size(); ++i)
      if (const auto* item = schema_of_item(s, i))
        visit(*item, x.get_array()[i], path + '/' + std::to_string(i), f);
  const auto* properties = s.if_contains("properties");
  if (!x.is_object())
    return;
  if (properties != nullptr)
    f(path, s);
  for (const auto& member : x.get_object()) {
    const auto* described
        = properties ? properties->as_object().if_contains(member.key())
                     : nullptr;
    if (described == nullptr)
      described = s.if_contains("additionalProperties");
    if (described != nullptr)
      visit(*described, member.value(), member_path(path, member.key()), f);
  }
}

std::vector<std::string> schema_gaps(const JsonSchema& schema,
                                     const json::value& x) {
  auto result = schema.problems(x);
  if (!result.empty())
    return result;
  schema.visit(x, [&](const std::string& path, const json::object& s) {
    const auto* required = s.if_contains("required");
    for (const auto& name : required ? required->as_array() : json::array{}) {
      auto without = x;
      without.at_pointer(path).as_object().erase(name.as_string());
      if (schema.problems(without).empty())
        result.push_back(path + ": valid without "
                         + std::string{name.as_string()});
    }
    auto with = x;
    with.at_pointer(path).as_object()["no_such_member"] = 1;
    if (schema.problems(with).empty())
      result.push_back(path + ": valid with an unknown member");
  });
  return result;
}

} // namespace stoker::test
