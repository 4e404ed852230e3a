#include "web/http_refusal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <openssl/x509v3.h>

#include "network/address.hpp"

namespace stoker {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

/// The host that a field Host names, without its port: "[::1]:80" -> "::1". Nothing: it is
/// none (RFC 3986, section 3.2), and whoever leads others there would lead them elsewhere.
std::optional<std::string> host_of(std::string_view field) {
  std::string_view host;
  if (field.starts_with('[')) {
    auto end = field.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    host = field.substr(1, end - 1);
    field.remove_prefix(end + 1);
  } else {
    host = field.substr(0, field.find(':'));
    field.remove_prefix(host.size());
  }
  // ":", and digits.
  if (!field.empty()
      && (field.front() != ':'
          || field.find_first_not_of("0123456789", 1)
                 != std::string_view::npos))
    return std::nullopt;
  std::string result{host};
  // Names are the same in whatever case.
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return result;
}

bool changes_nothing(http::verb x) {
  return x == http::verb::get || x == http::verb::head;
}

/// Whether the server is known by this name.
/// @param certificate its own, over TLS
bool is_own_name(const std::string& host, X509* certificate) {
  if (is_loopback(host))
    return true;
  if (certificate == nullptr)
    return false;
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1
         || X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
}

/// Whether a page that sends this is one of the server's own.
bool is_own_page(const StringRequest& x, bool is_encrypted) {
  std::string own{is_encrypted ? "https://" : "http://"};
  own += x[http::field::host];
  return x.count(http::field::origin) == 1
         && beast::iequals(x[http::field::origin], own);
}

/// How a request calls the server, as "localhost:8080": by its field Host, and by a target
/// that has a host (RFC 9112, section 3.2.2). Both may be empty.
std::array<std::string_view, 2> names_in(const StringRequest& x) {
  auto field = x[http::field::host];
  std::array<std::string_view, 2> result{{{field.data(), field.size()}}};
  auto target = x.target();
  std::string_view text{target.data(), target.size()};
  if (auto scheme = text.find("://");
      !text.starts_with('/') && scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
    result[1] = text.substr(0, text.find_first_of("/?#"));
  }
  return result;
}

/// Whether a body is sent as this server reads it.
std::optional<HttpResponse> refusal_of_coding(const StringRequest& x) {
  auto transfer = x.count(http::field::transfer_encoding);
  // Whoever has passed it on may have read another end of it (RFC 9112, section 6.1).
  if (transfer != 0 && x.version() < 11)
    return http_problem(400, "HTTP/1.0 has no Transfer-Encoding");
  if (transfer > 1
      || (transfer == 1
          && !beast::iequals(x[http::field::transfer_encoding], "chunked")))
    return http_problem(501, "a body comes as it is, or in chunks");
  if (x.count(http::field::content_encoding) != 0)
    return http_problem(415,
                        "a body comes as it is, without a Content-Encoding");
  return std::nullopt;
}

} // namespace

std::optional<HttpResponse> refusal_of(const StringRequest& x,
                                       X509* certificate) {
  if (auto no = refusal_of_coding(x))
    return no;
  if (x.version() >= 11 && x.count(http::field::host) != 1)
    return http_problem(400, "a request has one field Host");
  for (auto name : names_in(x)) {
    auto host = host_of(name);
    if (!host)
      return http_problem(400, "a server is named as HOST or HOST:PORT");
    if (!name.empty() && !is_own_name(*host, certificate))
      return http_problem(
          421, certificate != nullptr
                   ? "this server is known by the names of its certificate, "
                     "and by no other"
                   : "this server is known as 127.0.0.1 and localhost, and by "
                     "no other name");
  }
  for (auto [via, end] = x.equal_range(http::field::via); via != end; ++via)
    if (via->value().find(via_stoker) != beast::string_view::npos)
      return http_problem(508, "it was passed on as to the page of a program, "
                               "and this is none");
  // The script of a page of a program would answer for other readers' pages, too.
  if (x.count("Service-Worker") != 0)
    return http_problem(403, "service workers are not served");
  auto site = x["Sec-Fetch-Site"];
  auto is_of_others = (x.count(http::field::origin) != 0
                       && !is_own_page(x, certificate != nullptr))
                      || beast::iequals(site, "cross-site")
                      || beast::iequals(site, "same-site");
  if (!changes_nothing(x.method()) && is_of_others)
    return http_problem(403, "pages of others may not change anything here");
  return std::nullopt;
}

std::optional<HttpResponse> refusal_of(const error_code& error) {
  if (error == boost::system::errc::not_enough_memory)
    return http_problem(503, "unfinished requests take too much memory: try "
                             "again later");
  if (error == http::error::end_of_stream
      || error.category() != error_code{http::error::end_of_stream}.category())
    return std::nullopt;
  if (error == http::error::header_limit
      || error == http::error::buffer_overflow)
    return http_problem(431, "the fields of the request are too long");
  if (error == http::error::body_limit)
    return http_problem(413, "the body of the request is too long");
  return http_problem(400, "this is no HTTP/1.1 request: " + error.message());
}

} // namespace stoker
