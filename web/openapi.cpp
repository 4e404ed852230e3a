#include "web/openapi.hpp"

#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include "pages/embedded.hpp"
#include "web/gzip.hpp"

namespace stoker {

namespace {

namespace json = boost::json;

constexpr std::string_view base_name = "openapi.json";
constexpr std::string_view definitions = "#/$defs/";
constexpr std::string_view components = "#/components/schemas/";

/// Of the definition `definition` in the file of `schema`. No name of either has a dot.
std::string component_name(const std::string& schema,
                           std::string_view definition) {
  return schema + '.' + std::string{definition};
}

/// Lets references to definitions of `schema` lead to components.
void lead_to_components(json::value& x, const std::string& schema) {
  if (auto* list = x.if_array())
    for (auto& element : *list)
      lead_to_components(element, schema);
  auto* object = x.if_object();
  if (object == nullptr)
    return;
  for (auto& member : *object)
    lead_to_components(member.value(), schema);
  auto* reference = object->if_contains("$ref");
  if (reference == nullptr || !reference->is_string())
    return;
  std::string_view text{reference->get_string()};
  if (text.starts_with(definitions))
    *reference = json::string{
        std::string{components}
        + component_name(schema, text.substr(definitions.size()))};
}

/// Adds a schema that stands alone, and each of its definitions, as components: there
/// generators find them, and only there references lead.
void add_components(json::object& to, const std::string& name,
                    json::object schema) {
  // It would name the type after a command.
  schema.erase("title");
  // The document says it for all.
  schema.erase("$schema");
  auto add = [&](const std::string& as, json::value x) {
    lead_to_components(x, name);
    to[as] = std::move(x);
  };
  if (auto* inner = schema.if_contains("$defs"))
    for (auto& definition : inner->as_object())
      add(component_name(name, std::string{definition.key()}),
          std::move(definition.value()));
  schema.erase("$defs");
  add(name, std::move(schema));
}

std::string document() {
  json::object result;
  json::object schemas;
  for (const auto& file : pages::embedded_openapi()) {
    auto content = json::parse(
        json::string_view{file.content.data(), file.content.size()});
    if (file.name == base_name)
      result = std::move(content.as_object());
    else
      add_components(schemas,
                     std::string{file.name.substr(0, file.name.rfind('.'))},
                     std::move(content.as_object()));
  }
  auto& all = result["components"].as_object()["schemas"].as_object();
  for (auto& x : schemas)
    all[x.key()] = std::move(x.value());
  return json::serialize(result);
}

} // namespace

std::shared_ptr<const std::string> openapi_document() {
  static const auto result = std::make_shared<const std::string>(document());
  return result;
}

HttpResponse openapi_answer(const HttpRequest& request) {
  static const FixedAnswer answer{[] {
    HttpResponse result;
    result.body = openapi_document();
    return result;
  }()};
  return answer.to(request);
}

} // namespace stoker
