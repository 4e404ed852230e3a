#include "tools/stoker/program_log.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "messages/printable.hpp"
#include "tools/stoker/log_json.hpp"

namespace stoker {

namespace {

std::string_view payload_of(const spdlog::details::log_msg& x) {
  return {x.payload.data(), x.payload.size()};
}

/// What is logged, without what could speak to a terminal or begin another line.
class PrintableText : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& target) override {
    auto text = printable(payload_of(message));
    target.append(text.data(), text.data() + text.size());
  }

  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableText>();
  }
};

/// The whole line.
class JsonLine : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& target) override {
    using std::chrono::milliseconds;
    auto all_ms = std::chrono::duration_cast<milliseconds>(
                      message.time.time_since_epoch())
                      .count();
    auto seconds = static_cast<std::time_t>(all_ms / 1000);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    std::array<char, 32> time{};
    auto size
        = std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%S.", &utc);
    auto digits = std::to_string(1000 + all_ms % 1000).substr(1);
    auto level = spdlog::level::to_string_view(message.level);
    auto line
        = log_line_json(std::string{time.data(), size} + digits + 'Z',
                        {level.data(), level.size()}, payload_of(message));
    target.append(line.data(), line.data() + line.size());
  }

  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonLine>();
  }
};

/// Writes what the levels of its part let through.
class ChosenLines : public spdlog::sinks::stderr_color_sink_mt {
public:
  void log(const spdlog::details::log_msg& message) override {
    if (message.level >= level_of(event_of(payload_of(message))))
      spdlog::sinks::stderr_color_sink_mt::log(message);
  }

  void choose(const LogLevels& levels) {
    std::lock_guard guard{levels_mutex_};
    levels_ = levels;
  }

private:
  LogLevels::Level level_of(std::string_view event) {
    std::lock_guard guard{levels_mutex_};
    return levels_.of(event);
  }

  std::mutex levels_mutex_;
  LogLevels levels_{spdlog::level::trace};
};

/// That of this process.
const std::shared_ptr<ChosenLines>& standard_error() {
  static const auto sink = std::make_shared<ChosenLines>();
  return sink;
}

} // namespace

void log_to_standard_error() {
  auto logger = std::make_shared<spdlog::logger>("stoker", standard_error());
  spdlog::set_default_logger(std::move(logger));
  set_log_format(LogFormat::text);
  spdlog::flush_on(spdlog::level::info);
  spdlog::set_level(spdlog::level::info);
}

void set_log_format(LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (format == LogFormat::json)
    formatter->add_flag<JsonLine>('*').set_pattern("%*");
  else
    formatter->add_flag<PrintableText>('*').set_pattern(
        "%Y-%m-%d %H:%M:%S.%e %^%l%$ %*");
  spdlog::set_formatter(std::move(formatter));
}

void set_log_levels(const LogLevels& levels) {
  standard_error()->choose(levels);
  spdlog::set_level(levels.lowest());
}

} // namespace stoker
