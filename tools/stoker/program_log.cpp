#include "tools/stoker/program_log.hpp"

#include <ctime>
#include <memory>
#include <string_view>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "messages/printable.hpp"

namespace stoker {

namespace {

/// What is logged, without what could speak to a terminal or begin another line.
class PrintableText : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& target) override {
    auto text = printable({message.payload.data(), message.payload.size()});
    target.append(text.data(), text.data() + text.size());
  }

  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableText>();
  }
};

} // namespace

void log_to_standard_error() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableText>('*').set_pattern(
      "%Y-%m-%d %H:%M:%S.%e %^%l%$ %*");
  auto logger = spdlog::stderr_color_mt("stoker");
  logger->set_formatter(std::move(formatter));
  logger->flush_on(spdlog::level::info);
  logger->set_level(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

} // namespace stoker
