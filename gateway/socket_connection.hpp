#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
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

  /// Releases the server's room that its unprocessed frames hold.
  ~SocketConnection() override;

  void send(std::string frame) override;
  void send_with_file(std::string head, FileSegment tail) override;
  void processed() override;
  void accept() override;
  void close(std::string why) override;
  [[nodiscard]] const SocketAddress& here() const override {
    return here_;
  }
  [[nodiscard]] const SocketAddress& peer() const override {
    return peer_;
  }
  [[nodiscard]] std::optional<uid_t> owner() const override {
    return owner_;
  }

  /// Asks the kernel for the owner of the other end.
  void find_owner();

  /// Asks the kernel before the first byte is read, and ends if the check fails: a peer that
  /// was called has accepted the connection by then.
  void check_first(FrameServer::CheckOwner check);

  /// Joins the connections of the server.
  /// @param share what it counts for; null for an own peer, which is no newcomer either
  void enter(std::shared_ptr<PeerShare> share);
  void begin();

  [[nodiscard]] bool is_newcomer() const noexcept {
    return share_ && !is_accepted_;
  }
  [[nodiscard]] PeerShare* share() const noexcept {
    return share_.get();
  }

  [[nodiscard]] const HeldBytes& held() const noexcept {
    return held_;
  }

  /// Reads on, unless the listener is behind.
  void read_on();

  void end(const std::string& why);

  /// What fails for want of memory ends the connection alone.
  template <class F>
  void guarded(F what) {
    try {
      what();
    } catch (const std::exception& error) {
      end(error.what());
    }
  }

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
      boost::asio::post(server_->context, [self = shared_from_this(), what] {
        self->guarded(what);
      });
  }

  void leave();
  void become_accepted();

  // -- input ------------------------------------------------------------------

  void wait_for_input();
  void read();
  void take_input(std::string_view bytes);

  /// Tells the listener of all that are whole, unless it is behind. Returns how many bytes
  /// they have.
  std::size_t take_frames(std::string_view bytes);
  void hand_over(std::string_view frame);

  /// Answers a peer that speaks HTTP, once its first line is there. Returns false if the bytes
  /// are none of HTTP, or are not answered here.
  bool answer_http(std::string_view bytes);

  /// Whether one more frame may be handed over. If there is no room, it is called again once
  /// there is.
  bool may_take();
  void keep_input(std::string_view bytes);
  void forget_input(std::size_t count);

  /// Counts memory that it holds from now on, or no longer.
  void hold(std::size_t HeldBytes::*kind, std::size_t bytes);
  void release(std::size_t HeldBytes::*kind, std::size_t bytes);

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

  /// After input: for how long the rest of a frame, or the next one, may take.
  /// @param is_new whether a frame has ended before it
  void await_input(bool is_new);
  void await_speech();

  std::shared_ptr<FrameServerState> server_;
  boost::asio::ip::tcp::socket socket_;
  SocketAddress here_;
  SocketAddress peer_;
  std::optional<uid_t> owner_;

  /// Set until it is asked.
  FrameServer::CheckOwner check_;

  std::shared_ptr<PeerShare> share_;
  bool is_accepted_ = false;

  std::string input_;
  std::list<Output> output_;

  /// Of the first of them.
  std::uint64_t written_ = 0;

  /// Its file, once it is open.
  process::UniqueFd file_;
  HeldBytes held_;
  std::optional<Clock::time_point> deadline_;

  /// The deadline is that of a frame, and not of a silence.
  bool is_frame_due_ = false;
  bool is_open_ = true;
  bool is_waiting_ = false;
  bool is_writing_ = false;

  /// Empty: it is not closing.
  std::string why_closing_;

  /// Guards what follows.
  mutable std::mutex mutex_;

  /// The lengths of frames that the listener has not processed.
  std::deque<std::size_t> ahead_;

  /// No more is read before the listener has processed half of them.
  bool is_behind_ = false;

  /// What `send` was given.
  std::vector<Output> given_;
  bool flush_is_posted_ = false;
};

} // namespace stoker
