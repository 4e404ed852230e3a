#pragma once

// Who has taken the address of a port of HTTPS for one of http://.

#include <string>

#include <boost/asio/ssl/error.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "web/http.hpp"

namespace stoker {

/// Whether a handshake has failed since the other one speaks HTTP without TLS.
inline bool speaks_without_tls(const boost::system::error_code& error) {
  return error.category() == boost::asio::error::get_ssl_category()
         && ERR_GET_REASON(static_cast<unsigned long>(error.value()))
                == SSL_R_HTTP_REQUEST;
}

/// What he is told, all of it: nothing but TLS is written otherwise there.
inline const std::string& answer_without_tls() {
  static const auto result = [] {
    auto problem = http_problem(
        400, "this port is for HTTPS: begin the address with https");
    return "HTTP/1.1 " + std::to_string(problem.status) + ' ' + problem.reason
           + "\r\nConnection: close\r\nContent-Type: " + problem.content_type
           + "\r\nContent-Length: " + std::to_string(problem.body->size())
           + "\r\n\r\n" + *problem.body;
  }();
  return result;
}

} // namespace stoker
