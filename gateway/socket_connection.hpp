#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include "gateway/frame_server_state.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// A connection of a FrameServer. What follows `begin` is for the server's thread alone.
class SocketConnection : public FrameConnection,
                         public std::enable_shared_from_this<SocketConnection> {
public:
  SocketConnection(std::shared_ptr<FrameServerState> server,
                   boost::asio::ip::tcp::socket socket);

  void send(std::string frame) override;
  void send_with_file(std::string head, FileSegment tail) override;
  void processed() override;
  void close(std::string why) override;
  [[nodiscard]] const SocketAddress& here() const override {
    return here_;
  }
  [[nodiscard]] const SocketAddress& peer() const override {
    return peer_;
  }

  void begin();

  /// It has waited for long enough.
  void overdue();

  /// Closes it without telling anybody.
  void abandon();

private:
  using Clock = std::chrono::steady_clock;

  /// Does this on the server's thread.
  template <class F>
  void post(F what) {
    if (!server_->is_stopped)
      boost::asio::post(server_->context,
                        [self = shared_from_this(), what] { what(); });
  }

  void end(const std::string& why);

  // -- input ------------------------------------------------------------------

  void wait_for_input();
  void read();

  /// Reads on, unless the listener is behind.
  void read_on();
  void take_input(std::string_view bytes);

  /// Tells the listener of all that are whole. Returns how many bytes they have.
  std::size_t take_frames(std::string_view bytes);
  void forget_input();

  // -- output -----------------------------------------------------------------

  /// Bytes, and what of a file follows them.
  struct Output {
    std::string bytes;
    FileSegment file;

    [[nodiscard]] std::uint64_t size() const noexcept {
      return bytes.size() + file.length;
    }

    /// What it takes of memory.
    [[nodiscard]] std::size_t weight() const noexcept {
      return sizeof *this + bytes.capacity() + file.path.capacity();
    }
  };

  void give(Output x);
  void take_given();
  void write();

  /// Writes some of the first of what is to be written. Nothing: not now.
  std::optional<std::uint64_t> write_some();
  std::optional<std::uint64_t> write_some_of_file(const FileSegment& file);
  void wait_for_room();
  void close_when_sent(const std::string& why);

  // -- deadlines --------------------------------------------------------------

  void await_by(Clock::time_point when);
  void await_nothing();

  std::shared_ptr<FrameServerState> server_;
  boost::asio::ip::tcp::socket socket_;
  SocketAddress here_;
  SocketAddress peer_;

  std::string input_;
  std::list<Output> output_;

  /// Of the first of them.
  std::uint64_t written_ = 0;

  /// Its file, once it is open.
  process::UniqueFd file_;
  std::size_t unread_bytes_ = 0;
  std::optional<Clock::time_point> deadline_;
  bool is_open_ = true;
  bool is_waiting_ = false;
  bool is_writing_ = false;

  /// Empty: it is not closing.
  std::string why_closing_;

  /// Frames that the listener has not processed; for any thread.
  std::atomic<int> ahead_{0};

  std::mutex mutex_;

  /// What `send` was given; guarded by the mutex.
  std::vector<Output> given_;
  bool flush_is_posted_ = false;
};

} // namespace stoker
