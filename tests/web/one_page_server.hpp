#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace stoker::test {

/// The page of a program, at 127.0.0.1: answers all connections with the same bytes; an empty
/// answer: it keeps silent.
class OnePageServer {
public:
  explicit OnePageServer(std::string answer)
      : answer_(std::move(answer)), thread_([this] { serve(); }) {
  }

  ~OnePageServer() {
    finish();
  }

  OnePageServer(const OnePageServer&) = delete;
  OnePageServer& operator=(const OnePageServer&) = delete;

  [[nodiscard]] std::uint16_t port() const {
    return port_;
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }

  /// Answers nothing more. Returns the requests that came, without their bodies.
  const std::vector<std::string>& finish() {
    if (!is_stopped_.exchange(true)) {
      boost::system::error_code ignored;
      Tcp::socket{context_}.connect(acceptor_.local_endpoint(), ignored);
      thread_.join();
    }
    return requests_;
  }

private:
  using Tcp = boost::asio::ip::tcp;

  void serve() {
    std::vector<Tcp::socket> silent;
    while (true) {
      auto socket = acceptor_.accept();
      if (is_stopped_)
        return;
      std::string request;
      boost::system::error_code left;
      auto end = boost::asio::read_until(
          socket, boost::asio::dynamic_buffer(request), "\r\n\r\n", left);
      requests_.push_back(request.substr(0, end));
      if (answer_.empty())
        silent.push_back(std::move(socket));
      else
        boost::asio::write(socket, boost::asio::buffer(answer_), left);
    }
  }

  const std::string answer_;
  std::atomic<bool> is_stopped_{false};
  boost::asio::io_context context_;
  Tcp::acceptor acceptor_{context_,
                          {boost::asio::ip::address_v4::loopback(), 0}};
  const std::uint16_t port_ = acceptor_.local_endpoint().port();

  /// Used by the thread until it ends, then by `finish`.
  std::vector<std::string> requests_;
  std::thread thread_;
};

} // namespace stoker::test
