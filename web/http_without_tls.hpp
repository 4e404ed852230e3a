#pragma once

// Who has taken the address of a port of HTTPS for one of http://.

#include <string_view>

#include <boost/asio/ssl/error.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace stoker {

/// Whether a handshake has failed since the other one speaks HTTP without TLS.
inline bool speaks_without_tls(const boost::system::error_code& error) {
  return error.category() == boost::asio::error::get_ssl_category()
         && ERR_GET_REASON(static_cast<unsigned long>(error.value()))
                == SSL_R_HTTP_REQUEST;
}

inline constexpr std::string_view answer_without_tls
    = "HTTP/1.1 400 Bad Request\r\n"
      "Connection: close\r\n"
      "Content-Type: text/plain;charset=utf-8\r\n"
      "Content-Length: 53\r\n"
      "\r\n"
      "This port is for HTTPS: begin the address with https\n";

} // namespace stoker
