#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stoker::process {

/// Splits a stream of bytes into lines.
class LineBuffer {
public:
  LineBuffer() = default;

  /// @param received What has been read before.
  explicit LineBuffer(std::string received) : buffer_(std::move(received)) {
  }

  void append(std::string_view data) {
    buffer_.append(data);
  }

  /// Returns the next complete line, without its newline.
  std::optional<std::string> next_line() {
    auto end = buffer_.find('\n');
    if (end == std::string::npos)
      return std::nullopt;
    auto line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }

  /// Returns the next `bytes`, which are no line, and forgets them.
  /// @pre there are so many
  std::string take(std::size_t bytes) {
    auto result = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return result;
  }

  /// How many bytes wait for the end of their line.
  [[nodiscard]] std::size_t size() const noexcept {
    return buffer_.size();
  }

  /// Returns what came after the last complete line, and forgets it.
  std::string take_rest() {
    return std::exchange(buffer_, {});
  }

private:
  std::string buffer_;
};

} // namespace stoker::process
