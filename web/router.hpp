#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "web/http.hpp"

namespace stoker {

/// Which handler answers which request. Who asks for what is not there gets 404, or 405
/// and which methods there are.
class Router {
public:
  /// @param method as "GET", or "*": whatever there is, and the handler says what it takes
  /// @param path as "/json"; where it ends in "/*", as "/json/*", all that begins so, and
  /// "/json/" itself. The longest one that fits counts.
  void add(const std::string& method, const std::string& path,
           HttpHandler handler);

  /// Answers what nothing else fits.
  void set_fallback(HttpHandler handler) {
    fallback_ = std::move(handler);
  }

  void operator()(const HttpRequest& request, const HttpReplyPtr& reply) const;

private:
  /// By method.
  using Handlers = std::map<std::string, HttpHandler>;

  [[nodiscard]] const Handlers* find(std::string_view path) const;

  std::map<std::string, Handlers, std::less<>> exact_;

  /// By path without the star.
  std::map<std::string, Handlers, std::less<>> below_;
  HttpHandler fallback_;
};

} // namespace stoker
