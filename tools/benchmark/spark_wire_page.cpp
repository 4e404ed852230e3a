#include "tools/benchmark/spark_wire_page.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/json/parse.hpp>

#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

} // namespace

class WirePage::Connection {
public:
  explicit Connection(std::uint16_t port) : socket_(context_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    socket_.set_option(boost::asio::ip::tcp::no_delay{true});
    // Large pages come in few pieces.
    constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;
    buffer_.reserve(buffer_bytes);
  }

  std::string get(const std::string& path) {
    send(path);
    Answer answer;
    read(path, answer);
    return std::move(answer.get().body());
  }

  Visit visit(const std::string& path, bool takes_gzip) {
    auto begin = BenchClock::now();
    send(path, takes_gzip);
    Answer answer;
    http::read_header(socket_, buffer_, answer);
    Visit result{seconds_since(begin), 0};
    read(path, answer);
    result.bytes = answer.get().body().size();
    return result;
  }

private:
  using Answer = http::response_parser<http::string_body>;

  void send(const std::string& path, bool takes_gzip = false) {
    constexpr unsigned version = 11;
    http::request<http::empty_body> request{http::verb::get, path, version};
    request.set(http::field::host, "127.0.0.1");
    if (takes_gzip)
      request.set(http::field::accept_encoding, "gzip");
    http::write(socket_, request);
  }

  void read(const std::string& path, Answer& answer) {
    constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20U;
    answer.body_limit(bytes_max);
    http::read(socket_, buffer_, answer);
    if (answer.get().result() != http::status::ok)
      throw std::runtime_error("no page " + path);
  }

  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_;
  beast::flat_buffer buffer_;
};

WirePage::WirePage(std::uint16_t port)
    : connection_(std::make_unique<Connection>(port)) {
}

WirePage::~WirePage() = default;

std::string WirePage::get(const std::string& path) {
  return connection_->get(path);
}

WirePage::Visit WirePage::visit(const std::string& path, bool takes_gzip) {
  return connection_->visit(path, takes_gzip);
}

std::int64_t alive_workers_of(WirePage& page) {
  auto state = boost::json::parse(page.get("/json/"));
  const auto& workers = state.as_object().at("workers").as_array();
  return std::count_if(workers.begin(), workers.end(), [](const auto& x) {
    return x.as_object().at("state") == "ALIVE";
  });
}

} // namespace stoker::benchmark
