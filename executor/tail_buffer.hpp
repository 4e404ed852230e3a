#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace stoker::executor {

/// Keeps the end of a stream of bytes.
class TailBuffer {
public:
  /// Holds twice as much for moments.
  explicit TailBuffer(std::size_t bytes_max) : bytes_max_(bytes_max) {
  }

  void append(std::string_view bytes) {
    if (bytes.size() > bytes_max_) {
      bytes.remove_prefix(bytes.size() - bytes_max_);
      bytes_.clear();
      cut_ = true;
    }
    bytes_.append(bytes);
    // Not for each append: the rest moves each time.
    if (bytes_.size() >= 2 * bytes_max_)
      cut();
  }

  /// The last bytes. If there were more, they begin with the first line that is whole,
  /// unless there is none.
  std::string take() {
    cut();
    if (cut_)
      if (auto end = bytes_.find('\n');
          end != std::string::npos && end + 1 < bytes_.size())
        bytes_.erase(0, end + 1);
    return std::move(bytes_);
  }

private:
  void cut() {
    if (bytes_.size() <= bytes_max_)
      return;
    bytes_.erase(0, bytes_.size() - bytes_max_);
    cut_ = true;
  }

  std::size_t bytes_max_;
  std::string bytes_;
  bool cut_ = false;
};

} // namespace stoker::executor
