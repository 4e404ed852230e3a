#include "web/http.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json/object.hpp>

#include "messages/utf8_json.hpp"

namespace stoker {

namespace {

/// The words of RFC 9110 for a status; Boost has older ones for some.
std::string words_for(unsigned status) {
  namespace http = boost::beast::http;
  auto known = http::int_to_status(status);
  return known == http::status::payload_too_large
             ? "Content Too Large"
             : std::string{http::obsolete_reason(known)};
}

} // namespace

HttpResponse http_json(std::string text, unsigned status) {
  HttpResponse result;
  result.status = status;
  result.body = std::make_shared<const std::string>(std::move(text));
  return result;
}

HttpResponse http_problem(unsigned status, const std::string& detail) {
  auto title = words_for(status);
  boost::json::object text{{"type", "about:blank"},
                           {"title", title},
                           {"status", status},
                           {"detail", detail}};
  auto result = http_json(utf8_json(text), status);
  result.content_type = "application/problem+json";
  result.problem = detail;
  result.reason = std::move(title);
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
