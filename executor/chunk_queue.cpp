#include "executor/chunk_queue.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <string_view>
#include <utility>

namespace stoker::executor {

ChunkQueue::ChunkQueue(std::size_t bytes_max)
    : bytes_max_(bytes_max), news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
}

bool ChunkQueue::push(std::string chunk) {
  {
    std::unique_lock lock{mutex_};
    has_room_.wait(lock, [this] { return closed_ || bytes_ < bytes_max_; });
    if (closed_)
      return false;
    if (chunk.empty())
      return true;
    bytes_ += chunk.size();
    chunks_.push_back(std::move(chunk));
  }
  wake();
  return true;
}

void ChunkQueue::finish() {
  end(std::nullopt);
}

void ChunkQueue::fail(Error error) {
  end(std::move(error));
}

void ChunkQueue::close() {
  {
    std::lock_guard lock{mutex_};
    closed_ = true;
    chunks_.clear();
    bytes_ = 0;
  }
  has_room_.notify_all();
}

void ChunkQueue::end(std::optional<Error> error) {
  {
    std::lock_guard lock{mutex_};
    if (ended_)
      return;
    ended_ = true;
    error_ = std::move(error);
  }
  wake();
}

Result<Feeding> ChunkQueue::look_at_end() const {
  if (error_)
    return *error_;
  if (ended_)
    return Feeding::finished;
  // Under the lock, so that no news is lost that comes now.
  eventfd_t seen = 0;
  ::eventfd_read(news_.get(), &seen);
  return Feeding::waiting;
}

void ChunkQueue::wake() const {
  ::eventfd_write(news_.get(), 1);
}

ChunkInput::ChunkInput(std::shared_ptr<ChunkQueue> queue)
    : queue_(std::move(queue)) {
}

ChunkInput::~ChunkInput() {
  queue_->close();
}

Result<Fed> ChunkInput::feed(int pipe) {
  Fed result;
  while (result.bytes < feed_bytes_max) {
    if (position_ == chunk_.size()) {
      auto none = next_chunk();
      if (!none)
        return std::move(none).error();
      if (*none) {
        result.state = **none;
        return result;
      }
    }
    auto fed = write_to_pipe(pipe, std::string_view{chunk_}.substr(position_));
    if (!fed)
      return fed;
    position_ += fed->bytes;
    result.bytes += fed->bytes;
    if (fed->state != Feeding::finished) {
      result.state = fed->state;
      return result;
    }
  }
  result.state = Feeding::pipe_full;
  return result;
}

int ChunkInput::descriptor() const {
  return queue_->news_.get();
}

Result<Feeding> ChunkInput::discard() {
  queue_->close();
  std::lock_guard lock{queue_->mutex_};
  return queue_->look_at_end();
}

Result<std::optional<Feeding>> ChunkInput::next_chunk() {
  auto& queue = *queue_;
  {
    std::lock_guard lock{queue.mutex_};
    if (queue.chunks_.empty()) {
      auto end = queue.look_at_end();
      if (!end)
        return std::move(end).error();
      return std::optional{*end};
    }
    chunk_ = std::move(queue.chunks_.front());
    queue.chunks_.pop_front();
    position_ = 0;
    queue.bytes_ -= chunk_.size();
  }
  queue.has_room_.notify_one();
  return std::nullopt;
}

} // namespace stoker::executor
