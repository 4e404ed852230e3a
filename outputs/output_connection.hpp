#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "messages/ids.hpp"
#include "network/application_tls.hpp"
#include "network/limited_log.hpp"
#include "network/tls_socket.hpp"
#include "outputs/answer_stream.hpp"
#include "outputs/connection_table.hpp"
#include "outputs/index_cache.hpp"
#include "outputs/output_limits.hpp"

namespace stoker {

/// What all connections of an OutputService share.
struct OutputServing {
  OutputLimits limits;
  std::shared_ptr<TlsContext> tls;
  ConnectionTable connections;
  IndexCache indexes;
  LimitedLog log{"output-reader-refused"};

  /// Where an application's outputs are; nothing: it is not served (any more).
  /// Called by any thread.
  std::function<std::optional<std::filesystem::path>(const AppId&)>
      directory_of;
};

/// A reader's connection, at the service:
///
///     shakes hands -> reads a request -> answers it -> reads a request -> ...
///
/// While it answers it reads nothing: who asks for much and takes little is not
/// answered any further. Has memory for bytes only while it answers. Lives while
/// anything is under way, in the thread of its socket.
class OutputConnection : public std::enable_shared_from_this<OutputConnection> {
public:
  OutputConnection(std::shared_ptr<OutputServing> serving,
                   boost::asio::ip::tcp::socket socket);
  ~OutputConnection();

  OutputConnection(const OutputConnection&) = delete;
  OutputConnection& operator=(const OutputConnection&) = delete;

  void begin();

private:
  using Clock = std::chrono::steady_clock;
  using Step = void (OutputConnection::*)();

  void shake_hands();
  void read_header();
  void read_entries();
  void answer();

  /// Reads until `request_` has as many bytes. Returns whether it has; if not, `step`
  /// is done again when there are more.
  bool read_until(std::size_t bytes, Step step);

  /// Does `step` once the socket is ready.
  void wait(TlsSocket::Outcome what, Step step);

  /// From now on the peer has so long.
  void expect_within(std::chrono::milliseconds time);
  void watch();

  void finish_answer();
  void refuse(const std::string& why);
  void close();

  std::shared_ptr<OutputServing> serving_;
  boost::asio::ip::tcp::socket socket_;
  TlsSocket tls_;
  boost::asio::steady_timer timer_;
  Clock::time_point deadline_;
  std::optional<ConnectionTable::Place> place_;
  AppId app_;

  std::string request_;
  std::optional<AnswerStream> stream_;
  std::vector<char> buffer_;
  std::size_t buffer_at_ = 0;
  std::size_t buffer_end_ = 0;
};

} // namespace stoker
