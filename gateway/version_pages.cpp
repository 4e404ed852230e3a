#include "gateway/version_pages.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>
#include <spdlog/spdlog.h>

#include "network/connection_owner.hpp"
#include "scheduling/common/spark_release.hpp"

namespace stoker {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

/// Where a page says its version, and how.
struct PageForm {
  const char* path;

  /// An answer is much shorter.
  std::size_t bytes_max;

  Result<std::string> (*read)(const std::string& answer);
};

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Of connections at once. Thousands of workers may come back together.
constexpr std::size_t connections_max = 256;
constexpr auto one_answer_max = 5s;
constexpr auto pause = 50ms;
constexpr auto accept_pause = 2ms;

/// `{"spark": "3.5.9"}`
Result<std::string> version_in(const std::string& answer) {
  error_code error;
  auto json = boost::json::parse(answer, error);
  const auto* object = error ? nullptr : json.if_object();
  const auto* version = object ? object->if_contains("spark") : nullptr;
  const auto* text = version ? version->if_string() : nullptr;
  if (text == nullptr)
    return invalid("it does not say a version");
  auto release = spark_release_of(*text);
  if (!release)
    return std::move(release).error();
  return std::string{*text};
}

/// `<span class="version" style="margin-right: 15px;">3.5.9</span>`
Result<std::string> version_on_page(const std::string& page) {
  std::string_view rest{page};
  auto mark = rest.find("class=\"version\"");
  auto begin
      = rest.find('>', mark == std::string_view::npos ? rest.size() : mark);
  if (begin == std::string_view::npos)
    return invalid("it does not show a version");
  rest.remove_prefix(begin + 1);
  std::string text{rest.substr(0, rest.find('<'))};
  auto release = spark_release_of(text);
  if (!release)
    return std::move(release).error();
  return text;
}

constexpr PageForm form_of_driver{"/api/v1/version", std::size_t{64} << 10U,
                                  version_in};
constexpr PageForm form_of_worker{"/", std::size_t{8} << 20U, version_on_page};

} // namespace

std::optional<std::uint16_t> page_port(std::string_view url) {
  constexpr std::string_view scheme{"http://"};
  if (!url.starts_with(scheme))
    return std::nullopt;
  url.remove_prefix(scheme.size());
  url = url.substr(0, url.find('/'));
  auto colon = url.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  auto digits = url.substr(colon + 1);
  std::uint16_t result = 0;
  auto [end, error]
      = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (error != std::errc{} || end != digits.data() + digits.size()
      || result == 0)
    return std::nullopt;
  return result;
}

/// Whose turn it is to have a connection.
class VersionPages::Turns {
public:
  void await(std::shared_ptr<Question> x) {
    waiting_.push_back(std::move(x));
    go_on();
  }

  /// Somebody needs no connection any more.
  void end() {
    --connections_;
    go_on();
  }

private:
  void go_on();

  std::size_t connections_ = 0;
  std::deque<std::shared_ptr<Question>> waiting_;
};

/// A question to one page, which is asked until it is answered.
class VersionPages::Question : public std::enable_shared_from_this<Question> {
public:
  using Answered = std::function<void(Result<std::string>)>;

  /// @param timeout From when its first turn has come.
  Question(asio::io_context& context, Turns& turns, VersionPage page,
           const asio::ip::address& address, const PageForm& form,
           std::chrono::milliseconds timeout, Answered answered)
      : turns_(turns), stream_(context), timer_(context),
        page_(std::move(page)), endpoint_(address, page_.port), form_(form),
        timeout_(timeout), answered_(std::move(answered)) {
    request_.method(http::verb::get);
    request_.target(form.path);
    request_.set(http::field::host, to_string(page_));
    request_.keep_alive(false);
  }

  [[nodiscard]] bool is_wanted() const {
    return answered_ != nullptr;
  }

  /// Its turn has come.
  void ask() {
    auto now = Clock::now();
    if (!give_up_at_)
      give_up_at_ = now + timeout_;
    if (!is_right_owner(owner_of_listener(page_)))
      return end(not_of_the_user());
    buffer_.clear();
    answer_.emplace();
    answer_->body_limit(form_.bytes_max);
    stream_.expires_at(std::min(*give_up_at_, now + one_answer_max));
    stream_.async_connect(endpoint_, then(&Question::check_owner));
  }

  /// Nobody wants to know any more.
  void abandon() {
    answered_ = nullptr;
    stream_.close();
    timer_.cancel();
  }

private:
  /// What follows a step, unless that has failed.
  struct Then {
    std::shared_ptr<Question> self;
    void (Question::*next)();

    template <class... Rest>
    void operator()(const error_code& error, const Rest&...) const {
      // It listens before its driver registers, if it does at all.
      if (error == asio::error::connection_refused)
        self->end(invalid(error.message()));
      else if (error)
        self->again(invalid(error.message()));
      else
        ((*self).*next)();
    }
  };

  Then then(void (Question::*next)()) {
    return {shared_from_this(), next};
  }

  /// Whether a process of this user may be what is asked.
  [[nodiscard]] bool is_right_owner(std::optional<uid_t> owner) const {
    return !page_.owner || owner == page_.owner;
  }

  static Error not_of_the_user() {
    return {Errc::not_allowed, "no process of its user listens there"};
  }

  /// Asks once the connection is accepted, and by the right user. Until then the kernel does not
  /// know whose it is.
  void check_owner() {
    if (!page_.owner)
      return write();
    error_code error;
    auto here = stream_.socket().local_endpoint(error);
    auto owner
        = owner_of_peer({here.address().to_string(), here.port()}, page_);
    if (owner && !is_right_owner(owner))
      return end(not_of_the_user());
    if (owner)
      return write();
    if (Clock::now() + accept_pause >= *give_up_at_)
      return again(invalid("it does not accept connections"));
    timer_.expires_after(accept_pause);
    timer_.async_wait(then(&Question::check_owner));
  }

  void write() {
    http::async_write(stream_, request_, then(&Question::read));
  }

  void read() {
    http::async_read(stream_, buffer_, *answer_, then(&Question::take));
  }

  void take() {
    auto status = answer_->get().result();
    if (status == http::status::unauthorized
        || status == http::status::forbidden)
      return end(invalid("it does not let the master in"));
    auto version = form_.read(answer_->get().body());
    if (version)
      return end(std::move(version));
    again(std::move(version).error());
  }

  void again(Error why) {
    if (!answered_ || Clock::now() + pause >= *give_up_at_)
      return end(std::move(why));
    stream_.close();
    turns_.end();
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error)
        self->turns_.await(self);
    });
  }

  void end(Result<std::string> answer) {
    stream_.close();
    turns_.end();
    if (auto answered = std::exchange(answered_, nullptr))
      answered(std::move(answer));
  }

  Turns& turns_;
  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  VersionPage page_;
  tcp::endpoint endpoint_;
  const PageForm& form_;
  std::chrono::milliseconds timeout_;
  std::optional<Clock::time_point> give_up_at_;
  Answered answered_;
  http::request<http::empty_body> request_;
  beast::flat_buffer buffer_{std::size_t{64} << 10U};
  std::optional<http::response_parser<http::string_body>> answer_;
};

void VersionPages::Turns::go_on() {
  while (connections_ < connections_max && !waiting_.empty()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!next->is_wanted())
      continue;
    ++connections_;
    next->ask();
  }
}

class VersionPages::State {
public:
  explicit State(std::chrono::milliseconds timeout)
      : timeout_(timeout), thread_([this] { serve(); }) {
  }

  void ask(const VersionPage& page, const PageForm& form,
           Question::Answered answered) {
    error_code error;
    auto address = asio::ip::make_address(page.host, error);
    if (error)
      return answered(invalid("'" + page.host + "' is no address"));
    std::lock_guard lock{mutex_};
    if (!work_)
      return;
    auto question = std::make_shared<Question>(
        context_, turns_, page, address, form, timeout_, std::move(answered));
    asio::post(context_, [this, question] {
      // Those that have ended are forgotten when they may be half of all.
      if (questions_.size() >= 2 * open_) {
        std::erase_if(questions_, [](const auto& x) { return x.expired(); });
        open_ = questions_.size() + 1;
      }
      questions_.push_back(question);
      turns_.await(question);
    });
  }

  void stop() {
    {
      std::lock_guard lock{mutex_};
      asio::post(context_, [this] {
        for (const auto& x : questions_)
          if (auto question = x.lock())
            question->abandon();
      });
      work_.reset();
    }
    thread_.join();
  }

private:
  /// What fails for want of memory does not end the process.
  void serve() {
    while (true)
      try {
        context_.run();
        return;
      } catch (const std::exception& error) {
        spdlog::error("[spark-version-page] {}", error.what());
      }
  }

  std::chrono::milliseconds timeout_;
  asio::io_context context_{1};
  std::mutex mutex_;

  /// Guarded by `mutex_`. Unset: it has been stopped.
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>>
      work_{context_.get_executor()};

  /// For the thread alone, as all below.
  Turns turns_;
  std::vector<std::weak_ptr<Question>> questions_;

  /// How many were left when that was looked at, and one.
  std::size_t open_ = 1;
  std::thread thread_;
};

VersionPages::VersionPages(std::chrono::milliseconds timeout)
    : state_(std::make_shared<State>(timeout)) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
VersionPages::~VersionPages() {
  state_->stop();
}

AskVersion VersionPages::ask_version() const {
  return [state = state_](const VersionPage& page, auto answered) {
    state->ask(page, form_of_driver, std::move(answered));
  };
}

AskVersion VersionPages::ask_version_of_worker() const {
  return [state = state_](const VersionPage& page, auto answered) {
    state->ask(page, form_of_worker, std::move(answered));
  };
}

} // namespace stoker
