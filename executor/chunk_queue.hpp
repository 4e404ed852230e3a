#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "executor/input_source.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// Carries input from a thread that gets it, piece by piece, to a program. Holds at
/// most `bytes_max` and one chunk more: who is faster waits.
class ChunkQueue {
public:
  explicit ChunkQueue(std::size_t bytes_max);

  /// Adds bytes; waits while the queue is full. Returns false if nobody reads any more:
  /// then nothing further is needed.
  bool push(std::string chunk);

  /// Nothing more comes.
  void finish();

  /// Nothing more comes, for a reason that fails the task.
  void fail(Error error);

  /// Nobody reads any more: what is here is thrown away, and `push` returns false.
  void close();

private:
  friend class ChunkInput;

  void end(std::optional<Error> error);
  void wake() const;
  /// How it ended; `waiting`: it has not, and `news_` tells.
  [[nodiscard]] Result<Feeding> look_at_end() const;

  const std::size_t bytes_max_;
  /// An eventfd: readable while there is something that the reader has not seen.
  process::UniqueFd news_;

  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::deque<std::string> chunks_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  bool closed_ = false;
  std::optional<Error> error_;
};

/// The end of a `ChunkQueue` that a program reads.
class ChunkInput : public InputSource {
public:
  explicit ChunkInput(std::shared_ptr<ChunkQueue> queue);
  ~ChunkInput() override;

  Result<Fed> feed(int pipe) override;
  [[nodiscard]] int descriptor() const override;

  /// Throws away what comes. `waiting`: the end has not come yet. `finished`: it has.
  /// Fails as the queue has.
  Result<Feeding> discard();

private:
  /// Gets the next chunk. Else says why there is none; fails as the queue has.
  Result<std::optional<Feeding>> next_chunk();

  std::shared_ptr<ChunkQueue> queue_;
  std::string chunk_;
  std::size_t position_ = 0;
};

} // namespace stoker::executor
