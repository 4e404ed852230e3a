#include "web/http_refusal.hpp"

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

/// The host that a field Host names, without its port: "[::1]:80" -> "::1".
std::string_view host_of(std::string_view field) {
  if (field.starts_with('['))
    return field.substr(1, field.find(']') - 1);
  return field.substr(0, field.find(':'));
}

bool changes_nothing(http::verb x) {
  return x == http::verb::get || x == http::verb::head;
}

/// Whether the server is known by this name.
/// @param certificate its own, over TLS
bool is_own_name(std::string_view host, X509* certificate) {
  if (is_loopback(host))
    return true;
  if (certificate == nullptr)
    return false;
  const std::string name{host};
  return X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1
         || X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
}

/// Whether a page that sends this is one of the server's own.
bool is_own_page(const StringRequest& x, bool is_encrypted) {
  std::string own{is_encrypted ? "https://" : "http://"};
  own += x[http::field::host];
  return x.count(http::field::origin) == 1
         && beast::iequals(x[http::field::origin], own);
}

/// The host of a target that has one (RFC 9112, section 3.2.2), else that of the field Host.
std::string_view host_of(const StringRequest& x) {
  auto target = x.target();
  std::string_view text{target.data(), target.size()};
  if (auto scheme = text.find("://");
      !text.starts_with('/') && scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
    return host_of(text.substr(0, text.find('/')));
  }
  auto field = x[http::field::host];
  return host_of(std::string_view{field.data(), field.size()});
}

} // namespace

std::optional<HttpResponse> refusal_of(const StringRequest& x,
                                       X509* certificate) {
  if (x.count(http::field::transfer_encoding) != 0 && !x.chunked())
    return http_problem(501, "a body comes as it is, or in chunks");
  auto host = host_of(x);
  if (x.version() >= 11 && x.count(http::field::host) != 1)
    return http_problem(400, "a request has one field Host");
  if (!host.empty() && !is_own_name(host, certificate))
    return http_problem(
        421, certificate != nullptr
                 ? "this server is known by the names of its certificate, and "
                   "by no other"
                 : "this server is known as 127.0.0.1 and localhost, and by no "
                   "other name");
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
