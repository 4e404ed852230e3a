#include "tools/stoker/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace stoker {

namespace {

// ECMA-48, and xterm's second screen, which all terminals of today have.
constexpr std::string_view begin_drawing = "\033[?1049h\033[?25l";
constexpr std::string_view end_drawing = "\033[?25h\033[?1049l";
constexpr std::string_view to_the_top = "\033[H";
constexpr std::string_view end_of_line = "\033[K\r\n";
constexpr std::string_view clear_the_rest = "\033[J";

bool write_all(int terminal, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(terminal, text.data(), text.size());
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

} // namespace

bool Terminal::is_there() {
  const auto* kind = std::getenv("TERM");
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1
         && kind != nullptr && std::string_view{kind} != "dumb";
}

Terminal::Terminal() {
  ::tcgetattr(in_, &before_);
  auto raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;
  ::tcsetattr(in_, TCSAFLUSH, &raw);
  write_all(out_, begin_drawing);
}

Terminal::~Terminal() {
  write_all(out_, end_drawing);
  ::tcsetattr(in_, TCSAFLUSH, &before_);
}

std::pair<std::size_t, std::size_t> Terminal::size() const {
  ::winsize found{};
  if (::ioctl(out_, TIOCGWINSZ, &found) != 0 || found.ws_col == 0
      || found.ws_row == 0)
    return {80, 24};
  return {found.ws_col, found.ws_row};
}

bool Terminal::draw(const std::vector<std::string>& lines) {
  std::string text{to_the_top};
  for (const auto& line : lines) {
    if (&line != &lines.front())
      text += end_of_line;
    text += line;
  }
  // In one piece: nothing flickers.
  text += "\033[K";
  text += clear_the_rest;
  return write_all(out_, text);
}

std::optional<char> Terminal::key(std::chrono::milliseconds patience) {
  ::pollfd input{in_, POLLIN, 0};
  if (::poll(&input, 1, static_cast<int>(patience.count())) <= 0)
    return std::nullopt;
  char result = 0;
  auto n = ::read(in_, &result, 1);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return std::nullopt;
  return n == 1 ? result : '\0';
}

} // namespace stoker
