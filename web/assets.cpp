#include "web/assets.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "pages/embedded.hpp"
#include "web/gzip.hpp"

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

/// By path.
std::map<std::string, FixedAnswer, std::less<>> all_assets() {
  std::map<std::string, FixedAnswer, std::less<>> result;
  for (const auto& x : pages::embedded_assets()) {
    HttpResponse response;
    response.content_type = content_type_of(x.name);
    response.body = std::make_shared<const std::string>(x.content);
    result.emplace(std::string{folder} + std::string{x.name},
                   FixedAnswer{std::move(response)});
  }
  return result;
}

} // namespace

HttpResponse asset(const HttpRequest& request) {
  static const auto assets = all_assets();
  auto found = assets.find(request.path);
  if (found == assets.end())
    return http_problem(404, "there is nothing at this path");
  auto result = found->second.to(request);
  // Another version of the program may have others. Who asks for this one may keep it.
  result.fields.emplace_back("Cache-Control",
                             request.query == pages::assets_version()
                                 ? "private, max-age=31536000, immutable"
                                 : "private, no-cache");
  return result;
}

} // namespace stoker
