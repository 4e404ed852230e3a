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

#include "gateway/user_name.hpp"
#include "messages/printable.hpp"
#include "network/connection_owner.hpp"
#include "web/http_refusal.hpp"
#include "web/proxy_target.hpp"

namespace stoker {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::uint32_t fields_bytes_max = 64 * 1024;

/// Between two questions to the kernel for the process that is to accept a connection.
constexpr std::chrono::milliseconds first_accept_pause{2};
constexpr std::chrono::milliseconds longest_accept_pause{500};

/// Fields of the page's answer that a browser needs besides those of the body.
constexpr std::array kept_fields{"Content-Disposition",
                                 "Content-Security-Policy", "X-Frame-Options"};

SocketAddress socket_address(const tcp::endpoint& x) {
  return {x.address().to_string(), x.port()};
}

Error not_allowed(const std::string& why) {
  return {Errc::not_allowed, why};
}

Status check_owner(uid_t owner, const ProxiedRequest& x) {
  auto name = user_name(owner);
  if (name == x.owner)
    return {};
  return not_allowed("a process of user " + name
                     + " listens there, and not one of user "
                     + printable(x.owner));
}

/// Checks an address before anything is sent to it.
/// @param x as `plain_address`
Status check_address(const tcp::endpoint& x, const ProxiedRequest& request) {
  if (is_reserved(x.address()))
    return not_allowed("no page is asked for at such an address");
  auto is_here = is_of_this_machine(x.address());
  if (!is_here)
    return not_allowed("the system does not say whose address it is");
  if (!*is_here) {
    if (request.may_be_elsewhere)
      return {};
    return not_allowed("pages on other machines are asked with --spark-users "
                       "any alone");
  }
  auto owner = owner_of_listener(socket_address(x));
  return owner ? check_owner(*owner, request) : Status{};
}

/// Takes from scripts of a page the rights that its reader has at this server.
void put_into_sandbox(HttpResponse& x) {
  std::erase_if(x.fields, [](const auto& field) {
    return field.first == "Content-Security-Policy";
  });
  x.fields.emplace_back("Content-Security-Policy",
                        "sandbox allow-scripts allow-popups");
}

/// The body of an answer, with the place of its request.
struct HeldBody {
  HeldBody(std::string text, std::shared_ptr<void> place)
      : body(std::move(text)), slot(std::move(place)) {
  }

  std::string body;
  std::shared_ptr<void> slot;
};

} // namespace

/// Places for what readers ask, so many in all and so many of one reader. For several threads.
class PageProxy::Slots : public std::enable_shared_from_this<Slots> {
public:
  Slots(std::size_t max, std::size_t each_max)
      : max_(max), each_max_(each_max) {
  }

  /// Returns a place that is given back with the last copy, or nullptr if there is none.
  std::shared_ptr<void> take(const std::string& reader) {
    std::lock_guard lock{mutex_};
    if (all_ >= max_)
      return nullptr;
    auto& taken = of_reader_[reader];
    if (taken >= each_max_)
      return nullptr;
    ++taken;
    ++all_;
    return {this, [self = shared_from_this(), reader](void*) {
              self->give_back(reader);
            }};
  }

private:
  void give_back(const std::string& reader) {
    std::lock_guard lock{mutex_};
    --all_;
    if (auto i = of_reader_.find(reader); --i->second == 0)
      of_reader_.erase(i);
  }

  const std::size_t max_;
  const std::size_t each_max_;
  std::mutex mutex_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> of_reader_;
};

/// One request, from its connection to its answer. For the thread of the proxy alone.
class PageProxy::Exchange : public std::enable_shared_from_this<Exchange> {
public:
  Exchange(State& proxy, asio::io_context& context,
           const PageProxyLimits& limits, std::shared_ptr<void> slot,
           ProxiedRequest x, HttpReplyPtr reply)
      : proxy_(proxy), context_(context), stream_(context), timer_(context),
        accepted_(context), slot_(std::move(slot)), request_(std::move(x)),
        reply_(std::move(reply)) {
    timer_.expires_after(limits.timeout);
    parser_.body_limit(limits.answer_bytes_max);
    parser_.header_limit(fields_bytes_max);
    message_.method_string(request_.method);
    message_.target(request_.query.empty()
                        ? request_.path
                        : request_.path + '?' + request_.query);
    message_.version(11);
    message_.set(http::field::host, to_string(request_.to));
    message_.set(http::field::connection, "close");
    message_.set(http::field::via, via_stoker);
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

  void run(const LookUp& look_up) {
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error)
        self->refuse(504, "the page does not answer in time");
    });
    lookup_ = HostLookup::start(
        look_up, request_.to.host, request_.to.port,
        [self = shared_from_this()](Result<HostEndpoints> found) {
          asio::post(self->context_, [self, found = std::move(found)] {
            self->connect(found);
          });
        });
  }

  void refuse(unsigned status, const std::string& why) {
    end(http_problem(status, to_string(request_.to) + ": " + why));
  }

private:
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

  void connect(const Result<HostEndpoints>& found) {
    if (!reply_)
      return;
    if (!found)
      return refuse(502, found.error().message);
    Status may;
    for (const auto& x : *found) {
      tcp::endpoint plain{plain_address(x.address()), x.port()};
      if (auto status = check_address(plain, request_); status)
        to_.push_back(plain);
      else
        may = std::move(status);
    }
    if (to_.empty())
      return refuse(403, may ? "it has no address" : may.error().message);
    stream_.async_connect(to_,
                          [self = shared_from_this()](const error_code& error,
                                                      const tcp::endpoint&) {
                            if (self->proceeds(error))
                              self->check_process();
                          });
  }

  /// Another process may have the address by now, and the kernel vouches for processes of this
  /// machine to others.
  void check_process() {
    error_code error;
    auto here = stream_.socket().local_endpoint(error);
    if (!proceeds(error))
      return;
    auto there = stream_.socket().remote_endpoint(error);
    if (!proceeds(error))
      return;
    auto is_here = is_of_this_machine(there.address());
    if (!is_here || (!*is_here && !request_.may_be_elsewhere))
      return refuse(403, "it may be elsewhere");
    if (!*is_here)
      return write();
    auto owner = owner_of_peer(socket_address(here), socket_address(there));
    if (!owner)
      return await_process();
    if (auto may = check_owner(*owner, request_); !may)
      return refuse(403, may.error().message);
    is_of_owner_ = true;
    write();
  }

  /// The kernel knows the process once that has accepted the connection.
  void await_process() {
    accepted_.expires_after(accept_pause_);
    accept_pause_ = std::min(2 * accept_pause_, longest_accept_pause);
    accepted_.async_wait([self = shared_from_this()](const error_code& waited) {
      if (self->proceeds(waited))
        self->check_process();
    });
  }

  void write() {
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
    if (x.result_int() < 200)
      return refuse(502, "the page answers before it has the request");
    HttpResponse result;
    result.status = x.result_int();
    result.content_type = std::string{x[http::field::content_type]};
    for (const auto* field : kept_fields)
      if (x.count(field) == 1)
        result.fields.emplace_back(field, std::string{x[field]});
    if (x.count(http::field::location) == 1) {
      auto told = x[http::field::location];
      auto location = location_here({told.data(), told.size()}, request_.path,
                                    {"http://" + to_string(request_.to),
                                     request_.prefix, request_.front});
      if (!location)
        return refuse(502, "the page leads to another server");
      result.fields.emplace_back("Location", *std::move(location));
    }
    // The request keeps its place until the answer is read.
    auto answer
        = std::make_shared<HeldBody>(std::move(x.body()), std::move(slot_));
    result.body = {answer, &answer->body};
    if (!is_of_owner_ || request_.reader != request_.owner
        || request_.may_be_elsewhere)
      put_into_sandbox(result);
    end(std::move(result));
  }

  void end(HttpResponse x);

  State& proxy_;
  asio::io_context& context_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  asio::steady_timer accepted_;
  std::chrono::milliseconds accept_pause_ = first_accept_pause;
  std::shared_ptr<void> slot_;
  ProxiedRequest request_;

  /// Null if it was answered.
  HttpReplyPtr reply_;
  std::shared_ptr<HostLookup> lookup_;
  HostEndpoints to_;

  /// Whether the kernel says that the page is one of the program's user.
  bool is_of_owner_ = false;
  http::request<http::string_body> message_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
};

class PageProxy::State {
public:
  State(PageProxyLimits limits, LookUp look_up)
      : limits_(limits), look_up_(std::move(look_up)),
        thread_([this] { serve(); }) {
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
    open_.erase(x);
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
    auto look_up = lookup_for(x);
    auto slot = requests_->take(x.reader);
    if (!look_up || !slot)
      return reply->answer(http_problem(
          503, "too many requests wait for pages of programs; try again"));
    auto exchange
        = std::make_shared<Exchange>(*this, context_, limits_, std::move(slot),
                                     std::move(x), std::move(reply));
    open_.insert(exchange);
    exchange->run(look_up);
  }

  /// Returns what looks the host up, and has a place for as long as it exists, or an empty function
  /// if there is no place. An address needs none.
  LookUp lookup_for(const ProxiedRequest& x) {
    error_code is_name;
    asio::ip::make_address(x.to.host, is_name);
    if (!is_name)
      return look_up_;
    auto slot = lookups_->take(x.reader);
    if (!slot)
      return {};
    return [slot, look_up = look_up_](const std::string& name,
                                      std::uint16_t port) {
      return look_up(name, port);
    };
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
  const LookUp look_up_;
  const std::shared_ptr<Slots> requests_ = std::make_shared<Slots>(
      limits_.requests_max, limits_.requests_each_max);

  /// Each lookup has one until it ends, in a thread of its own.
  const std::shared_ptr<Slots> lookups_
      = std::make_shared<Slots>(limits_.lookups_max, limits_.lookups_each_max);
  asio::io_context context_{1};
  std::mutex mutex_;

  /// Guarded by `mutex_`. Unset if it has been stopped.
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>>
      work_{context_.get_executor()};

  /// For the thread alone, as all below.
  std::set<std::shared_ptr<Exchange>> open_;
  std::thread thread_;
};

void PageProxy::Exchange::end(HttpResponse x) {
  auto reply = std::exchange(reply_, nullptr);
  if (!reply)
    return;
  stream_.close();
  if (lookup_)
    lookup_->abandon();
  timer_.cancel();
  accepted_.cancel();
  slot_.reset();
  reply->answer(std::move(x));
  proxy_.ended(shared_from_this());
}

PageProxy::PageProxy(PageProxyLimits limits, LookUp look_up)
    : state_(std::make_shared<State>(limits, std::move(look_up))) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
PageProxy::~PageProxy() {
  state_->stop();
}

void PageProxy::forward(ProxiedRequest request, HttpReplyPtr reply) {
  state_->forward(std::move(request), std::move(reply));
}

} // namespace stoker
