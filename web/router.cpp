#include "web/router.hpp"

#include <utility>

namespace stoker {

namespace {

constexpr std::string_view all_below = "/*";
constexpr const char* any_method = "*";

} // namespace

void Router::add(const std::string& method, const std::string& path,
                 HttpHandler handler) {
  auto& handlers = path.ends_with(all_below)
                       ? below_[path.substr(0, path.size() - 1)]
                       : exact_[path];
  handlers[method] = std::move(handler);
}

const Router::Handlers* Router::find(std::string_view path) const {
  if (auto found = exact_.find(path); found != exact_.end())
    return &found->second;
  // From the longest beginning that ends in a slash to the shortest.
  for (auto slash = path.rfind('/'); slash != std::string_view::npos;
       slash
       = slash == 0 ? std::string_view::npos : path.rfind('/', slash - 1)) {
    auto found = below_.find(path.substr(0, slash + 1));
    if (found != below_.end())
      return &found->second;
  }
  return nullptr;
}

void Router::operator()(const HttpRequest& request,
                        const HttpReplyPtr& reply) const {
  const auto* handlers = find(request.path);
  if (handlers == nullptr && fallback_)
    return fallback_(request, reply);
  if (handlers == nullptr)
    return reply->answer(http_problem(404, "there is nothing at this path"));
  auto handler
      = handlers->find(request.method == "HEAD" ? "GET" : request.method);
  if (handler == handlers->end())
    handler = handlers->find(any_method);
  if (handler != handlers->end())
    return handler->second(request, reply);
  std::string allowed;
  for (const auto& [method, ignored] : *handlers)
    allowed += (allowed.empty() ? "" : ", ") + method
               + (method == "GET" ? ", HEAD" : "");
  reply->answer(http_other_method(allowed));
}

} // namespace stoker
