#include "web/page_proxy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <spdlog/spdlog.h>

#include "network/connection_owner.hpp"

namespace stoker {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::uint32_t fields_bytes_max = 64 * 1024;
constexpr std::chrono::milliseconds accept_pause{2};

/// Fields of the page's answer that a browser needs besides those of the body.
constexpr std::array kept_fields{"Cache-Control", "Content-Disposition",
                                 "Content-Security-Policy", "X-Frame-Options"};

/// Addresses at which machines find services of their own network, such as credentials of a
/// cloud.
bool is_link_local(const asio::ip::address& x) {
  if (x.is_v6()) {
    const auto& v6 = x.to_v6();
    if (v6.is_v4_mapped())
      return is_link_local(asio::ip::make_address_v4(asio::ip::v4_mapped, v6));
    return v6.is_link_local();
  }
  auto bytes = x.to_v4().to_bytes();
  return bytes[0] == 169 && bytes[1] == 254;
}

SocketAddress socket_address(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

/// Where a browser finds what a page calls `location`; std::nullopt: not at this page.
std::optional<std::string> location_here(std::string_view location,
                                         const ProxiedRequest& x) {
  const auto own = "http://" + to_string(x.to);
  if (location.starts_with(own)
      && location.substr(own.size()).find_first_of("/?") == 0)
    location.remove_prefix(own.size());
  else if (!location.starts_with('/') || location.starts_with("//"))
    return std::nullopt;
  auto is_here = location.starts_with(x.prefix + '/');
  return x.front + (is_here ? "" : x.prefix) + std::string{location};
}

} // namespace

/// One request, from its connection to its answer. For the thread of the proxy alone.
class PageProxy::Exchange : public std::enable_shared_from_this<Exchange> {
public:
  Exchange(State& proxy, asio::io_context& context,
           const PageProxyLimits& limits, ProxiedRequest x, HttpReplyPtr reply)
      : proxy_(proxy), stream_(context), resolver_(context), timer_(context),
        accepted_(context), request_(std::move(x)), reply_(std::move(reply)),
        give_up_at_(Clock::now() + limits.timeout) {
    parser_.body_limit(limits.answer_bytes_max);
    parser_.header_limit(fields_bytes_max);
    message_.method_string(request_.method);
    message_.target(request_.target);
    message_.version(11);
    message_.set(http::field::host, to_string(request_.to));
    message_.set(http::field::connection, "close");
    // Spark puts it before the links of a page.
    message_.set("X-Forwarded-Context", request_.front + request_.prefix);
    if (!request_.accept.empty())
      message_.set(http::field::accept, request_.accept);
    if (request_.method == "POST")
      message_.set(http::field::content_type,
                   "application/x-www-form-urlencoded");
    message_.body() = std::move(request_.body);
    message_.prepare_payload();
  }

  [[nodiscard]] const std::string& page() const {
    return request_.prefix;
  }

  void run() {
    // Names are looked up by a function that does not end in time.
    timer_.expires_at(give_up_at_);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error)
        self->refuse(504, "the page does not answer in time");
    });
    resolver_.async_resolve(
        request_.to.host, std::to_string(request_.to.port),
        [self = shared_from_this()](const error_code& error,
                                    const tcp::resolver::results_type& x) {
          if (self->proceeds(error))
            self->connect(x);
        });
  }

  void refuse(unsigned status, const std::string& why) {
    end(http_problem(status, to_string(request_.to) + ": " + why));
  }

private:
  using Clock = std::chrono::steady_clock;

  /// Whether the next step follows; a failure ends the exchange.
  bool proceeds(const error_code& error) {
    if (!reply_)
      return false;
    if (!error)
      return true;
    if (error == http::error::body_limit || error == http::error::header_limit)
      refuse(502, "the answer of the page is too long");
    else
      refuse(502, error.message());
    return false;
  }

  void connect(const tcp::resolver::results_type& to) {
    if (std::ranges::any_of(to, [](const auto& x) {
          return is_link_local(x.endpoint().address());
        }))
      return refuse(403, "pages are not asked at addresses of a link");
    stream_.async_connect(to,
                          [self = shared_from_this()](const error_code& error,
                                                      const tcp::endpoint&) {
                            if (self->proceeds(error))
                              self->check_owner();
                          });
  }

  /// Another process may have the address by now, and the kernel vouches for processes of this
  /// machine to others.
  void check_owner() {
    error_code error;
    auto here = stream_.socket().local_endpoint(error);
    if (!proceeds(error))
      return;
    auto there = stream_.socket().remote_endpoint(error);
    if (!proceeds(error))
      return;
    auto is_here
        = there.address().is_loopback() || here.address() == there.address();
    auto owner = owner_of_peer(socket_address(here), socket_address(there));
    // The kernel knows the process once that has accepted the connection.
    if (is_here && !owner) {
      accepted_.expires_after(accept_pause);
      return accepted_.async_wait(
          [self = shared_from_this()](const error_code& waited) {
            if (self->proceeds(waited))
              self->check_owner();
          });
    }
    if (auto may = request_.check(owner); !may)
      return refuse(403, may.error().message);
    http::async_write(
        stream_, message_,
        [self = shared_from_this()](const error_code& written, std::size_t) {
          if (self->proceeds(written))
            self->read();
        });
  }

  void read() {
    http::async_read(
        stream_, buffer_, parser_,
        [self = shared_from_this()](const error_code& error, std::size_t) {
          if (self->proceeds(error))
            self->pass_on();
        });
  }

  void pass_on() {
    auto& x = parser_.get();
    HttpResponse result;
    result.status = x.result_int();
    result.content_type = std::string{x[http::field::content_type]};
    for (const auto* field : kept_fields)
      if (x.count(field) == 1)
        result.fields.emplace_back(field, std::string{x[field]});
    if (x.count(http::field::location) == 1) {
      auto told = x[http::field::location];
      auto location = location_here({told.data(), told.size()}, request_);
      if (!location)
        return refuse(502, "the page leads to another server");
      result.fields.emplace_back("Location", *std::move(location));
    }
    result.body = std::make_shared<const std::string>(std::move(x.body()));
    end(std::move(result));
  }

  void end(HttpResponse x);

  State& proxy_;
  beast::tcp_stream stream_;
  tcp::resolver resolver_;
  asio::steady_timer timer_;
  asio::steady_timer accepted_;
  ProxiedRequest request_;

  /// Null: it was answered.
  HttpReplyPtr reply_;
  Clock::time_point give_up_at_;
  http::request<http::string_body> message_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
};

class PageProxy::State {
public:
  explicit State(PageProxyLimits limits)
      : limits_(limits), thread_([this] { serve(); }) {
  }

  void forward(ProxiedRequest x, HttpReplyPtr reply) {
    std::lock_guard lock{mutex_};
    if (!work_)
      return;
    asio::post(context_,
               [this, x = std::move(x), reply = std::move(reply)]() mutable {
                 begin(std::move(x), std::move(reply));
               });
  }

  void ended(const std::shared_ptr<Exchange>& x) {
    if (open_.erase(x) > 0 && --of_page_[x->page()] == 0)
      of_page_.erase(x->page());
  }

  void stop() {
    {
      std::lock_guard lock{mutex_};
      asio::post(context_, [this] {
        for (const auto& x : std::exchange(open_, {}))
          x->refuse(502, "this master ends");
      });
      work_.reset();
    }
    thread_.join();
  }

private:
  void begin(ProxiedRequest x, HttpReplyPtr reply) {
    auto& of_page = of_page_[x.prefix];
    if (open_.size() >= limits_.requests_max
        || of_page >= limits_.requests_each_max) {
      if (of_page == 0)
        of_page_.erase(x.prefix);
      return reply->answer(http_problem(
          503, "too many requests wait for pages of programs; try again"));
    }
    ++of_page;
    auto exchange = std::make_shared<Exchange>(*this, context_, limits_,
                                               std::move(x), std::move(reply));
    open_.insert(exchange);
    exchange->run();
  }

  /// What a library throws of one request costs that request alone.
  void serve() {
    while (true)
      try {
        context_.run();
        return;
      } catch (const std::exception& error) {
        spdlog::error("[web-failed] a request failed: {}", error.what());
      }
  }

  const PageProxyLimits limits_;
  asio::io_context context_{1};
  std::mutex mutex_;

  /// Guarded by `mutex_`. Unset: it has been stopped.
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>>
      work_{context_.get_executor()};

  /// For the thread alone, as all below.
  std::set<std::shared_ptr<Exchange>> open_;
  std::map<std::string, std::size_t> of_page_;
  std::thread thread_;
};

void PageProxy::Exchange::end(HttpResponse x) {
  auto reply = std::exchange(reply_, nullptr);
  if (!reply)
    return;
  stream_.close();
  resolver_.cancel();
  timer_.cancel();
  accepted_.cancel();
  reply->answer(std::move(x));
  proxy_.ended(shared_from_this());
}

PageProxy::PageProxy(PageProxyLimits limits)
    : state_(std::make_shared<State>(limits)) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
PageProxy::~PageProxy() {
  state_->stop();
}

void PageProxy::forward(ProxiedRequest request, HttpReplyPtr reply) {
  state_->forward(std::move(request), std::move(reply));
}

} // namespace stoker
