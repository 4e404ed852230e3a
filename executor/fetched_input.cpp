#include "executor/fetched_input.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace stoker::executor {

namespace {

/// What is read ahead of the program.
constexpr std::size_t read_ahead_bytes = std::size_t{1} << 20;

Error error_of(const FetchFailure& failure) {
  return {failure.unreachable ? Errc::no_answer : Errc::unreadable,
          failure.text};
}

} // namespace

FetchedInput::FetchedInput(Open open, Failed failed)
    : open_(std::move(open)), failed_(std::move(failed)),
      queue_(std::make_shared<ChunkQueue>(read_ahead_bytes)), chunks_(queue_) {
}

FetchedInput::~FetchedInput() {
  // The thread may wait for room in the queue.
  thread_.request_stop();
  queue_->close();
}

Result<Fed> FetchedInput::feed(int pipe) {
  // Not before: a task may wait long for its slot, and be taken back.
  if (!thread_.joinable())
    thread_ = std::jthread{[this](const std::stop_token& stop) { read(stop); }};
  return chunks_.feed(pipe);
}

Result<Feeding> FetchedInput::check() {
  return chunks_.discard();
}

int FetchedInput::descriptor() const {
  return chunks_.descriptor();
}

void FetchedInput::read(const std::stop_token& stop) const {
  auto reader = open_(stop);
  for (auto wanted = true; !stop.stop_requested();) {
    auto fetched = reader.next();
    if (const auto* chunk = std::get_if<OutputChunk>(&fetched)) {
      if (wanted)
        wanted = queue_->push({chunk->bytes.begin(), chunk->bytes.end()});
      continue;
    }
    const auto* failure = std::get_if<FetchFailure>(&fetched);
    if (failure == nullptr)
      return queue_->finish();
    // Who stopped it needs no reason.
    if (stop.stop_requested())
      return;
    failed_(*failure);
    return queue_->fail(error_of(*failure));
  }
}

} // namespace stoker::executor
