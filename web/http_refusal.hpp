#pragma once

#include <optional>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/x509.h>

#include "web/http.hpp"

namespace stoker {

/// The field Via of requests that a server of Stoker's passes on to a page of a program. No
/// server of Stoker's takes such a request: its peer is the process that passes it on, and not
/// its reader.
inline constexpr const char* via_stoker = "1.1 stoker";

using StringRequest
    = boost::beast::http::request<boost::beast::http::string_body>;

/// Why a request is not for this server. Nothing: it is.
/// @param certificate the server's own; null: nothing is encrypted
std::optional<HttpResponse> refusal_of(const StringRequest& x,
                                       X509* certificate);

/// What is answered to what is no request, or too large a one. Nothing: nobody is there.
std::optional<HttpResponse> refusal_of(const boost::system::error_code& error);

} // namespace stoker
