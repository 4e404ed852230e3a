#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spark/messages.hpp"
#include "tools/benchmark/spark_wire_writer.hpp"

namespace stoker::benchmark {

/// ExecutorStateChanged, written once and kept in pieces: only the executor differs from
/// one to the next. So a report takes its sender no time that would be measured.
class WireReport {
public:
  /// Throws std::runtime_error when it cannot be taken apart.
  WireReport(const SparkWireWriter& writer, spark::ExecutorState state);

  /// A whole frame, that asks.
  /// @param header Who sends it to whom: an RpcMessage without content
  [[nodiscard]] std::string frame(std::int64_t request, std::string_view header,
                                  std::string_view app_id,
                                  std::int32_t executor) const;

private:
  std::string before_executor_;
  std::string before_app_;
  std::string rest_;
};

} // namespace stoker::benchmark
