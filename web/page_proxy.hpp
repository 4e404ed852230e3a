#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "messages/result.hpp"
#include "network/address.hpp"
#include "web/http.hpp"

namespace stoker {

/// How much a PageProxy takes of others.
struct PageProxyLimits {
  /// Requests at once: of all pages, and of one page. One more is answered with 503.
  std::size_t requests_max = 32;
  std::size_t requests_each_max = 8;

  /// Of an answer with its fields. A longer one is answered with 502.
  std::size_t answer_bytes_max = std::size_t{8} << 20U;

  /// How long a page may take for all of its answer. Then the reader gets 504.
  std::chrono::milliseconds timeout{30'000};
};

/// A request that goes on to the page of a program.
struct ProxiedRequest {
  /// Where the page is, as its program has registered it; the host may be a name.
  SocketAddress to;

  /// Returns an error if the process that serves the page must not be spoken to.
  /// @param owner the user of a process on this machine; unset: the page is on another machine
  std::function<Status(std::optional<uid_t> owner)> check;

  /// GET or POST.
  std::string method = "GET";

  /// A path of the page, with a query or without.
  std::string target = "/";
  std::string accept;

  /// Of a form.
  std::string body;

  /// What stands before paths of the page at this server, such as "/proxy/app-1".
  std::string prefix;

  /// What stands before `prefix` where the page leads a browser on: the address of a proxy in
  /// front of this server, or nothing.
  std::string front;
};

/// Asks pages of Spark's programs for readers of this server. Cookies and other fields by which
/// readers are known do not go on. Has a thread of its own, which answers.
class PageProxy {
public:
  explicit PageProxy(PageProxyLimits limits = {});

  /// Requests that are open get 502.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~PageProxy();

  PageProxy(const PageProxy&) = delete;
  PageProxy& operator=(const PageProxy&) = delete;

  /// Answers with what the page answers, or with a problem: 403 from `check`, 502, 503 or 504.
  /// May be called from any thread, and does not block.
  void forward(ProxiedRequest request, HttpReplyPtr reply);

private:
  class Exchange;
  class State;
  std::shared_ptr<State> state_;
};

} // namespace stoker
