#include "network/limited_log.hpp"

#include <spdlog/spdlog.h>

namespace stoker {

void LimitedLog::warn(const std::string& line, Clock::time_point now) {
  std::lock_guard guard{mutex_};
  if (now - since_ >= std::chrono::seconds{1}) {
    if (left_out_ > 0)
      spdlog::warn("[{}] and {} more", event_, left_out_);
    since_ = now;
    written_ = 0;
    left_out_ = 0;
  }
  if (written_ == lines_per_second) {
    ++left_out_;
    return;
  }
  ++written_;
  spdlog::warn("[{}] {}", event_, line);
}

void LimitedLog::debug(const std::string& line) const {
  spdlog::debug("[{}] {}", event_, line);
}

} // namespace stoker
