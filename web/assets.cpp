#include "web/assets.hpp"

#include <map>
#include <string_view>

#include "pages/embedded.hpp"

namespace stoker {

namespace {

constexpr std::string_view folder = "/static/";

const char* content_type_of(std::string_view name) {
  if (name.ends_with(".css"))
    return "text/css;charset=utf-8";
  if (name.ends_with(".js"))
    return "text/javascript;charset=utf-8";
  return "image/svg+xml";
}

/// Ready to be sent, by path.
std::map<std::string, HttpResponse, std::less<>> all_assets() {
  std::map<std::string, HttpResponse, std::less<>> result;
  for (const auto& x : pages::embedded_assets()) {
    auto& response = result[std::string{folder} + std::string{x.name}];
    response.content_type = content_type_of(x.name);
    response.body = std::make_shared<const std::string>(x.content);
    // Another version of the program may have others.
    response.fields.emplace_back("Cache-Control", "private, max-age=600");
  }
  return result;
}

} // namespace

HttpResponse asset(const HttpRequest& request) {
  static const auto assets = all_assets();
  auto found = assets.find(request.path);
  return found == assets.end()
             ? http_problem(404, "there is nothing at this path")
             : found->second;
}

} // namespace stoker
