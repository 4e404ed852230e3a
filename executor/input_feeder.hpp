#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>

#include "executor/input_source.hpp"
#include "executor/pipe.hpp"

namespace stoker::executor {

/// Carries input from its source to a program.
class InputFeeder {
public:
  /// @param source Nothing: there is no input, and no pipe.
  explicit InputFeeder(std::unique_ptr<InputSource> source);

  /// Makes the pipe. Returns 0 or an `errno` value.
  int open();

  /// What the program reads from; -1 if there is no input.
  [[nodiscard]] int program_end() const noexcept {
    return pipe_.read_end.get();
  }

  /// The program has its end. From now on writing tells that it has closed it.
  void program_runs() {
    pipe_.read_end.reset();
  }

  /// Carries what can be carried now. Fails as the source does.
  Status feed();

  /// The program wants no more. The source may still say that what it got is wrong.
  Status stop();

  /// Whether the source has still to say that.
  [[nodiscard]] bool checking() const noexcept {
    return checking_;
  }

  /// What `feed` waits for.
  [[nodiscard]] pollfd awaited() const;

  /// How many bytes the program was given.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return bytes_;
  }

private:
  Status check();
  void give_up();

  std::unique_ptr<InputSource> source_;
  Pipe pipe_;
  Feeding state_;
  bool checking_ = false;
  std::uint64_t bytes_ = 0;
};

} // namespace stoker::executor
