#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "network/address.hpp"
#include "network/host_lookup.hpp"
#include "web/http.hpp"

namespace stoker {

/// How much a PageProxy takes of others.
struct PageProxyLimits {
  /// Requests at once, until their answers are read: of all readers, and of one reader. One more
  /// is answered with 503.
  std::size_t requests_max = 32;
  std::size_t requests_each_max = 8;

  /// Names of hosts that are being looked up, for all readers and for one: the system may take
  /// minutes for one that its servers do not know. One more is answered with 503.
  std::size_t lookups_max = 8;
  std::size_t lookups_each_max = 2;

  /// The size of an answer with its fields. The reader gets 502 for a longer one.
  std::size_t answer_bytes_max = std::size_t{8} << 20U;

  /// How long a page may take for all of its answer. Then the reader gets 504.
  std::chrono::milliseconds timeout{30'000};
};

/// A request to the page of a program.
struct ProxiedRequest {
  /// Where the page is, as its program has registered it; the host may be a name.
  SocketAddress to;

  /// The program's user. On this machine, the page has to be one of a process of exactly this
  /// user: not even root's processes are others.
  std::string owner;

  /// Whether a page on another machine is asked, where nothing is known of its process. Then
  /// users are not known for certain, and each page is in a sandbox.
  bool may_be_elsewhere = false;

  /// The reader's user. Others than `owner` get the page in a sandbox: in a browser, its
  /// scripts have the rights of its reader at this server.
  std::string reader;

  /// GET or POST.
  std::string method = "GET";

  /// A path of the page, and what stands behind '?'.
  std::string path = "/";
  std::string query;
  std::string accept;

  /// The fields of a form; empty with GET.
  std::string body;

  /// What stands before paths of the page at this server, such as "/proxy/app-1".
  std::string prefix;

  /// What stands before `prefix` where the page leads a browser on: the address of a proxy in
  /// front of this server, or nothing.
  std::string front;
};

/// Asks pages of Spark's programs for readers of this server. Cookies and other fields by which
/// readers are known do not go on. Servers of Stoker's refuse what comes this way, by its field
/// Via: their kernel's word for it would be that of this process. Has a thread of its own, which
/// answers.
class PageProxy {
public:
  explicit PageProxy(PageProxyLimits limits = {},
                     LookUp look_up = look_up_by_system);

  /// Requests that are open get 502.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~PageProxy();

  PageProxy(const PageProxy&) = delete;
  PageProxy& operator=(const PageProxy&) = delete;

  /// Answers with what the page answers, or with a problem: 403 where the page must not be
  /// asked, 502, 503 or 504.
  /// May be called from any thread, and does not block.
  void forward(ProxiedRequest request, HttpReplyPtr reply);

private:
  class Slots;
  class Exchange;
  class State;
  std::shared_ptr<State> state_;
};

} // namespace stoker
