#include "web/http_stream.hpp"

#include <utility>

namespace stoker {

void HttpStream::write(const Piece& piece) {
  std::lock_guard lock{mutex_};
  if (is_closed_ || piece->empty())
    return;
  unsent_ += piece->size();
  send(piece);
}

void HttpStream::finish() {
  std::lock_guard lock{mutex_};
  if (!is_closed_)
    send(nullptr);
}

void HttpStream::cut_off() {
  std::lock_guard lock{mutex_};
  is_cut_off_ = true;
  if (!is_closed_)
    send(nullptr);
}

bool HttpStream::is_cut_off() const {
  std::lock_guard lock{mutex_};
  return is_cut_off_;
}

void HttpStream::send(const Piece& piece) {
  if (send_)
    send_(piece);
  else
    early_.push_back(piece);
}

std::size_t HttpStream::unsent() const {
  std::lock_guard lock{mutex_};
  return unsent_;
}

void HttpStream::on_drained(std::function<void()> drained) {
  std::lock_guard lock{mutex_};
  if (!is_closed_)
    drained_ = std::move(drained);
}

bool HttpStream::is_closed() const {
  std::lock_guard lock{mutex_};
  return is_closed_;
}

void HttpStream::attach(std::function<void(Piece)> send) {
  std::lock_guard lock{mutex_};
  send_ = std::move(send);
  for (auto& x : std::exchange(early_, {}))
    send_(std::move(x));
}

void HttpStream::sent(std::size_t bytes) {
  std::function<void()> drained;
  {
    std::lock_guard lock{mutex_};
    unsent_ -= bytes;
    if (unsent_ == 0)
      drained = drained_;
  }
  // It may write.
  if (drained)
    drained();
}

void HttpStream::close() {
  std::function<void(Piece)> ended;
  std::function<void()> drained;
  std::lock_guard lock{mutex_};
  is_closed_ = true;
  early_.clear();
  // It may keep the connection, which keeps this.
  ended.swap(send_);
  drained.swap(drained_);
}

} // namespace stoker
