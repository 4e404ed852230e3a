#include "web/openapi.hpp"

#include <string_view>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "pages/embedded.hpp"

namespace stoker {

namespace {

constexpr std::string_view base_name = "openapi.json";

/// Each schema keeps its own references, since it has an id of its own.
std::string document() {
  boost::json::object result;
  boost::json::object schemas;
  for (const auto& file : pages::embedded_openapi()) {
    auto json = boost::json::parse(
        boost::json::string_view{file.content.data(), file.content.size()});
    if (file.name == base_name) {
      result = json.as_object();
      continue;
    }
    auto name = std::string{file.name.substr(0, file.name.rfind('.'))};
    auto& schema = json.as_object();
    schema["$id"] = "/schemas/" + name;
    schemas[name] = std::move(json);
  }
  auto& components = result["components"].as_object();
  for (auto& x : schemas)
    components["schemas"].as_object()[x.key()] = std::move(x.value());
  return boost::json::serialize(result);
}

} // namespace

std::shared_ptr<const std::string> openapi_document() {
  static const auto result = std::make_shared<const std::string>(document());
  return result;
}

} // namespace stoker
