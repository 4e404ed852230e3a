#include "web/request_of.hpp"

#include <string>
#include <utility>

#include "web/gzip.hpp"

namespace stoker {

HttpRequest request_of(StringRequest& message) {
  namespace http = boost::beast::http;
  constexpr auto npos = boost::beast::string_view::npos;
  HttpRequest result;
  result.method = std::string{message.method_string()};
  auto target = message.target();
  // Whoever speaks as to a proxy names the server, too, which was checked.
  if (auto scheme = target.find("://");
      !target.starts_with('/') && scheme != npos) {
    auto path = target.find('/', scheme + 3);
    target = path == npos ? "/" : target.substr(path);
  }
  auto mark = target.find('?');
  result.path = std::string{target.substr(0, mark)};
  if (mark < target.size())
    result.query = std::string{target.substr(mark + 1)};
  result.accept = std::string{message[http::field::accept]};
  result.takes_gzip
      = takes_gzip(std::string{message[http::field::accept_encoding]});
  result.last_event_id = std::string{message["Last-Event-ID"]};
  result.is_of_own_page
      = boost::beast::iequals(message["Sec-Fetch-Site"], "same-origin");
  result.host = std::string{message[http::field::host]};
  result.cookie = std::string{message[http::field::cookie]};
  result.body = std::move(message.body());
  return result;
}

} // namespace stoker
