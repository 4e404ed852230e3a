#include "tools/benchmark/spark_wire_report.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

#include "spark/frame.hpp"

namespace stoker::benchmark {

namespace {

/// Where an application and an executor stand, until they are known.
constexpr std::string_view any_app = "any-application";
constexpr std::int32_t any_executor = 0x5EEDBEEF;

std::string big_endian(std::uint32_t x) {
  std::string result;
  for (auto shift : {24U, 16U, 8U, 0U})
    result += static_cast<char>(x >> shift);
  return result;
}

/// A text of Java's, with its length.
std::string java_text(std::string_view x) {
  return big_endian(static_cast<std::uint32_t>(x.size())).substr(2)
         + std::string{x};
}

} // namespace

WireReport::WireReport(const SparkWireWriter& writer,
                       spark::ExecutorState state) {
  auto whole = writer.executor_state_changed(std::string{any_app}, any_executor,
                                             state);
  auto executor = big_endian(any_executor);
  auto app = java_text(any_app);
  auto executor_at = whole.find(executor);
  auto app_at = whole.find(app);
  if (executor_at == std::string::npos || app_at == std::string::npos
      || app_at < executor_at)
    throw std::runtime_error("a report is not written as it was");
  before_executor_ = whole.substr(0, executor_at);
  auto after_executor = executor_at + executor.size();
  before_app_ = whole.substr(after_executor, app_at - after_executor);
  rest_ = whole.substr(app_at + app.size());
}

std::string WireReport::frame(std::int64_t request, std::string_view header,
                              std::string_view app_id,
                              std::int32_t executor) const {
  std::string body{header};
  body += before_executor_;
  body += big_endian(static_cast<std::uint32_t>(executor));
  body += before_app_;
  body += java_text(app_id);
  body += rest_;
  std::string result;
  spark::append_frame(result, {spark::FrameType::rpc_request, request, body});
  return result;
}

} // namespace stoker::benchmark
