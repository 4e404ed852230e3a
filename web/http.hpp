#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/frame_server.hpp"
#include "network/identity.hpp"
#include "web/http_stream.hpp"

namespace stoker {

/// What somebody asks over HTTP/1.1.
struct HttpRequest {
  /// As "GET". A server answers HEAD as it answers GET, without the body.
  std::string method;

  /// As "/json/workers": what stands before '?', as it was sent.
  std::string path;

  /// What stands behind '?'.
  std::string query;
  std::string body;

  /// The field Accept: which types he would like.
  std::string accept;

  /// Whether the field Accept-Encoding asks for gzip.
  bool takes_gzip = false;

  /// The field Last-Event-ID: how far he has followed events before.
  std::string last_event_id;

  /// The field Host: how he calls the server, as "127.0.0.1:8080".
  std::string host;

  /// Whether a browser says that a page of this server sends it, by its field Sec-Fetch-Site.
  bool is_of_own_page = false;

  /// The field Cookie: not for logs.
  std::string cookie;

  /// Both ends of the connection.
  SocketAddress here;
  SocketAddress peer;

  /// Whether the connection is one of TLS, and whom his certificate names. Nobody: he has
  /// shown none, or none that names somebody.
  bool is_encrypted = false;
  std::optional<Identity> certificate;

  /// The serial numbers of that certificate and of its authorities.
  std::vector<std::string> serials;
};

/// What he is answered.
struct HttpResponse {
  unsigned status = 200;

  /// For the status line, where it shall have other words than Boost's for the status.
  std::string reason;
  std::string content_type = "application/json;charset=utf-8";

  /// Several answers may share it. Null: there is none.
  std::shared_ptr<const std::string> body;

  /// A body without an end, instead. The connection is closed after it.
  std::shared_ptr<HttpStream> stream;

  /// Who asked was known by more than his connection says: by a session.
  bool is_to_known = false;

  /// What is wrong, in a line, where the body is a problem document.
  std::string problem;

  /// Others than those of the body and of the connection.
  std::vector<std::pair<std::string, std::string>> fields;
};

/// An answer in the words of RFC 9457 (Problem Details for HTTP APIs).
/// @param detail one line that says what is wrong
HttpResponse http_problem(unsigned status, const std::string& detail);

/// An answer to a method that a path does not take.
/// @param allowed all that it takes, as "GET, HEAD"
HttpResponse http_other_method(const std::string& allowed);

/// An answer of this JSON text.
HttpResponse http_json(std::string text, unsigned status = 200);

/// Takes the answer to one request, from any thread. The first one counts; if there
/// never is one, because whoever should give it has gone, that is the answer.
class HttpReply {
public:
  using Send = std::function<void(HttpResponse)>;

  explicit HttpReply(Send send) : send_(std::move(send)) {
  }
  ~HttpReply();

  HttpReply(const HttpReply&) = delete;
  HttpReply& operator=(const HttpReply&) = delete;

  /// To be called by one thread only.
  void answer(HttpResponse response);

private:
  Send send_;
};

using HttpReplyPtr = std::shared_ptr<HttpReply>;

/// Answers requests, sooner or later.
using HttpHandler
    = std::function<void(const HttpRequest& request, HttpReplyPtr reply)>;

} // namespace stoker
