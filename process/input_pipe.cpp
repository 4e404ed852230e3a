#include "process/input_pipe.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace stoker::process {

void InputPipe::attach(UniqueFd pipe) {
  pipe_ = std::move(pipe);
}

std::optional<InputState> InputPipe::take(const InputPiece& piece,
                                          std::string_view data) {
  is_waited_for_ = false;
  if (!pipe_)
    return state();
  if (piece.offset > taken_)
    return refusal("the input has a gap");
  auto said = piece.offset + static_cast<std::int64_t>(data.size());
  if (piece.end && said < taken_)
    return refusal("the input ends before what it had");
  auto known = static_cast<std::size_t>(taken_ - piece.offset);
  data.remove_prefix(std::min(known, data.size()));
  if (ends_ && !data.empty())
    return refusal("the input goes on behind its end");
  if (!data.empty() && take_new(data) == 0 && pipe_) {
    is_waited_for_ = true;
    return std::nullopt;
  }
  if (piece.end && said == taken_) {
    ends_ = true;
    close_at_end();
    // Said without data, it waits for the pipe to have all.
    is_waited_for_ = pipe_ && piece.bytes == 0;
  }
  return is_waited_for_ ? std::nullopt : std::optional{state()};
}

std::size_t InputPipe::take_new(std::string_view data) {
  auto taken = rest_.empty() ? write(data) : 0;
  data.remove_prefix(taken);
  if (pipe_) {
    data = data.substr(0, input_bytes_max - rest_.size());
    rest_ += data;
    taken += data.size();
  }
  taken_ += static_cast<std::int64_t>(taken);
  return taken;
}

bool InputPipe::pump() {
  if (!rest_.empty())
    rest_.erase(0, write(rest_));
  else if (pipe_ && !is_read())
    close();
  close_at_end();
  // Not as soon as there is room for a byte: who waits would say all of it again.
  return rest_.empty() && std::exchange(is_waited_for_, false);
}

void InputPipe::close() {
  pipe_.reset();
  rest_.clear();
  rest_.shrink_to_fit();
}

short InputPipe::events() const noexcept {
  return rest_.empty() ? short{0} : short{POLLOUT};
}

InputState InputPipe::state() const {
  InputState result;
  result.taken = taken_;
  result.closed = !pipe_;
  return result;
}

InputState InputPipe::refusal(std::string why) const {
  auto result = state();
  result.problem = std::move(why);
  return result;
}

std::size_t InputPipe::write(std::string_view data) {
  std::size_t written = 0;
  while (pipe_ && written < data.size()) {
    auto n = ::write(pipe_.get(), data.data() + written, data.size() - written);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      break;
    if (n < 0) // EPIPE
      close();
    else
      written += static_cast<std::size_t>(n);
  }
  return written;
}

void InputPipe::close_at_end() {
  if (ends_ && rest_.empty())
    close();
}

bool InputPipe::is_read() const {
  pollfd fd{pipe_.get(), 0, 0};
  return ::poll(&fd, 1, 0) <= 0 || (fd.revents & POLLERR) == 0;
}

} // namespace stoker::process
