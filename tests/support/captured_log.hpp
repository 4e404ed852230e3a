#pragma once

// What the process logs.

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

namespace stoker::test {

/// Takes the lines of the default logger as long as it lives.
class CapturedLog {
public:
  CapturedLog() {
    auto logger = std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
    logger->set_pattern("%v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~CapturedLog() {
    spdlog::set_default_logger(before_);
  }

  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  /// Without time and level.
  [[nodiscard]] std::string text() const {
    return out_.str();
  }

private:
  std::ostringstream out_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

} // namespace stoker::test
