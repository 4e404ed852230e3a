#include "web/http.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>

#include "messages/utf8_json.hpp"

namespace stoker {

HttpResponse http_json(std::string text, unsigned status) {
  HttpResponse result;
  result.status = status;
  result.body = std::make_shared<const std::string>(std::move(text));
  return result;
}

HttpResponse http_problem(unsigned status, const std::string& detail) {
  auto title = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(status));
  boost::json::object text{{"type", "about:blank"},
                           {"title", std::string{title}},
                           {"status", status},
                           {"detail", detail}};
  auto result = http_json(utf8_json(text), status);
  result.content_type = "application/problem+json";
  result.problem = detail;
  return result;
}

HttpResponse http_other_method(const std::string& allowed) {
  auto result = http_problem(405, "this path takes " + allowed);
  result.fields.emplace_back("Allow", allowed);
  return result;
}

HttpReply::~HttpReply() {
  if (send_)
    answer(http_problem(503, "the master is about to stop"));
}

void HttpReply::answer(HttpResponse response) {
  if (auto send = std::exchange(send_, nullptr))
    send(std::move(response));
}

} // namespace stoker
