#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker::executor {

/// How far an input source got.
enum class Feeding {
  /// There is more, and the pipe is full, or others are to have their turn.
  pipe_full,
  /// There is nothing at present, and more may come.
  waiting,
  /// There was nothing more to give.
  finished,
  /// The program has closed its standard input. It wants no more.
  closed,
};

/// What one call of `InputSource::feed` did.
struct Fed {
  Feeding state = Feeding::finished;
  std::uint64_t bytes = 0;
};

/// What a program reads from its standard input. One thread uses it, on which SIGPIPE
/// is blocked.
class InputSource {
public:
  InputSource() = default;
  virtual ~InputSource() = default;

  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;

  /// Moves some bytes into a pipe. Never waits for the pipe, nor for more input;
  /// may wait for a disk. An error fails the task.
  /// @param pipe The end to write to; non-blocking.
  virtual Result<Fed> feed(int pipe) = 0;

  /// Whether all that was given is right, of a source that only knows at its end; called
  /// when the program wants no more. `waiting`: that is not known yet. `finished`: it is.
  /// An error fails the task.
  virtual Result<Feeding> check();

  /// Becomes readable when a source that said `waiting` has more to say. -1: it never
  /// says that.
  [[nodiscard]] virtual int descriptor() const;
};

/// How many bytes a source gives at most before others have their turn.
inline constexpr std::size_t feed_bytes_max = std::size_t{1} << 20;

/// Writes what a non-blocking pipe takes of `bytes`. `finished`: it took all.
Result<Fed> write_to_pipe(int pipe, std::string_view bytes);

/// A text in memory.
class TextInput : public InputSource {
public:
  explicit TextInput(std::string text);

  Result<Fed> feed(int pipe) override;

private:
  std::string text_;
  std::size_t position_ = 0;
};

} // namespace stoker::executor
