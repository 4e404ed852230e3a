#pragma once

#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stoker {

/// The terminal of this process as a screen that is drawn again and again: keys come one by
/// one, without an echo, and what was on it before comes back at the end. Ctrl-C and the
/// like remain signals; Ctrl-Z does nothing, since it would leave the terminal like this.
class Terminal {
public:
  /// Whether standard input and output are a terminal that can be drawn on.
  [[nodiscard]] static bool is_there();

  /// @pre is_there()
  Terminal();
  ~Terminal();

  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Columns and lines.
  [[nodiscard]] std::pair<std::size_t, std::size_t> size() const;

  /// Shows these lines from the top, and nothing else. Returns whether it could.
  bool draw(const std::vector<std::string>& lines);

  /// The next key, waiting at most so long. 0: there will be no more.
  std::optional<char> key(std::chrono::milliseconds patience);

private:
  int in_ = STDIN_FILENO;
  int out_ = STDOUT_FILENO;
  ::termios before_{};
};

} // namespace stoker
