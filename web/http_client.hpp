#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/ssl/context.hpp>

#include "messages/result.hpp"
#include "network/address.hpp"

namespace stoker {

/// Where pages are: "http://127.0.0.1:8080", or "https://node1:8080".
struct WebAddress {
  bool is_encrypted = false;
  MasterAddress place{"127.0.0.1", 8080};

  friend bool operator==(const WebAddress&, const WebAddress&) = default;
};

/// As people write it, without a slash at the end.
std::string to_string(const WebAddress& x);

/// Reads "http://HOST[:PORT]" or "https://HOST[:PORT]"; the port is 8080 where there is
/// none. Fails with `Errc::invalid_request`.
Result<WebAddress> parse_web_address(std::string_view text);

/// A request.
struct HttpCall {
  WebAddress to;
  std::string method = "GET";

  /// A path, with a query or without.
  std::string target = "/";
  std::string body;

  /// Of the body; empty: there is none.
  std::string content_type;

  /// Over TLS: by what the server is judged, and who asks. Not null there.
  std::shared_ptr<boost::asio::ssl::context> tls;

  /// Not: the call ends with the answer's status and fields.
  bool reads_body = true;

  /// How long all of it may take.
  std::chrono::milliseconds patience{10'000};
};

struct HttpAnswer {
  unsigned status = 0;
  std::string content_type;
  std::string body;
};

/// Asks a server, and waits for what it answers, which has 1 MB at most. Fails with
/// `Errc::not_alive` where nothing is reached, and with `Errc::no_answer`.
Result<HttpAnswer> call_http(const HttpCall& call);

} // namespace stoker
