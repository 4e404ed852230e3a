#include "gateway/http_hint.hpp"

#include <algorithm>
#include <array>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace stoker {

namespace {

constexpr std::array<std::string_view, 7> methods{
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH "};

constexpr std::string_view submissions_path = "/v1/";

/// spark-submit with spark.master.rest.enabled=true tries this path first, and submits as
/// other programs of Spark do if the connection closes. An answer would end it instead.
constexpr std::string_view create_path = "/v1/submissions/create";

/// Returns whether a character of a request's target may go into an answer.
bool is_plain(unsigned char c) {
  return c > ' ' && c < 0x7f && c != '"' && c != '\\';
}

/// Returns the target of a request; empty if it cannot be read.
std::string_view target_of(std::string_view request) {
  auto line = request.substr(0, request.find_first_of("\r\n"));
  auto begin = line.find(' ');
  if (line.size() == request.size() || begin == std::string_view::npos)
    return {};
  auto target = line.substr(begin + 1);
  target = target.substr(0, target.find(' '));
  return std::ranges::all_of(target, is_plain) ? target : std::string_view{};
}

std::string words_for(const std::string& submissions, const std::string& pages,
                      bool is_near) {
  std::string result{
      "this is the port of Spark's programs, which does not speak HTTP; "};
  result += submissions.empty() ? "this master takes no submissions over HTTP "
                                  "(--rest-port)"
                                : "submissions over HTTP are at " + submissions;
  if (!pages.empty())
    result += ", and pages at " + pages;
  if (!submissions.empty() && !is_near)
    result += ", for programs of the master's machine";
  return result;
}

} // namespace

bool begins_http(std::string_view bytes) {
  return std::ranges::any_of(
      methods, [&](std::string_view x) { return bytes.starts_with(x); });
}

std::string http_hint(std::string_view request, const std::string& submissions,
                      const std::string& pages,
                      const std::string& spark_version, bool is_near) {
  auto target = target_of(request);
  if (request.starts_with("POST ") && target.starts_with(create_path))
    return {};
  auto is_submission = target.starts_with(submissions_path);
  // Clients do not send a body to another address by themselves.
  auto leads_on
      = is_submission && is_near && !submissions.empty()
        && (request.starts_with("GET ") || request.starts_with("HEAD "));
  const auto* status = leads_on        ? "307 Temporary Redirect"
                       : is_submission ? "404 Not Found"
                                       : "400 Bad Request";
  boost::json::object body{{"action", "ErrorResponse"},
                           {"message", words_for(submissions, pages, is_near)},
                           {"serverSparkVersion", spark_version}};
  auto text = boost::json::serialize(body) + '\n';
  return std::string{"HTTP/1.1 "} + status
         + (leads_on ? "\r\nLocation: " + submissions + std::string{target}
                     : std::string{})
         + "\r\nContent-Type: application/json;charset=utf-8"
           "\r\nCache-Control: no-store\r\nConnection: close"
           "\r\nContent-Length: "
         + std::to_string(text.size()) + "\r\n\r\n"
         + (request.starts_with("HEAD ") ? std::string{} : text);
}

} // namespace stoker
