#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/control_protocol.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// The standard input of a program, and how much of it was taken: all bytes that are in
/// the pipe, and at most `input_bytes_max` behind it, which the pipe did not take. What
/// was taken is never taken again, so it may be said as often as one likes.
///
///           its end was said         the pipe has all
///     open ------------------> ending ---------------> closed
///       |                        |                       ^
///       +------------------------+-----------------------+
///           the program reads no more, or has ended
class InputPipe {
public:
  /// Writes from now on to a non-blocking pipe. SIGPIPE has to be ignored.
  void attach(UniqueFd pipe);

  /// Takes what it can of a piece. Nothing: there is no room, or it is the end alone and
  /// the pipe does not have all; nobody is to be told before `pump` says so.
  std::optional<InputState> take(const InputPiece& piece,
                                 std::string_view data);

  /// Hands on what the pipe takes, and notes whether the program still reads. Never
  /// blocks. Returns whether somebody who waits for room is to be told.
  bool pump();

  /// Nobody waits to be told.
  void forget_waiting() noexcept {
    is_waited_for_ = false;
  }

  /// The program reads no more.
  void close();

  /// What to wait for, and the events of poll(2), which are none while there is nothing
  /// to write: the end of the reader is told anyway. -1 if it is closed.
  [[nodiscard]] int descriptor() const noexcept {
    return pipe_.get();
  }
  [[nodiscard]] short events() const noexcept;

  [[nodiscard]] InputState state() const;

private:
  [[nodiscard]] InputState refusal(std::string why) const;

  /// Returns how much of it was taken.
  std::size_t take_new(std::string_view data);

  /// Returns how much the pipe took of it.
  std::size_t write(std::string_view data);
  void close_at_end();
  [[nodiscard]] bool is_read() const;

  UniqueFd pipe_;
  std::int64_t taken_ = 0;

  /// Taken, and not in the pipe.
  std::string rest_;
  bool ends_ = false;
  bool is_waited_for_ = false;
};

} // namespace stoker::process
