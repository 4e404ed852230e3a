#include "storage/task_log.hpp"

#include "messages/json_text.hpp"

namespace stoker {

namespace {

std::string config_text(const JobsConfig& config) {
  std::string result;
  append_json(result, config);
  return result;
}

} // namespace

TaskLogWriter::TaskLogWriter(const std::string& path, const JobsConfig& config,
                             MessageLogLimits limits)
    : writer_(path, LogKind::task_scheduler, config_text(config), limits) {
}

bool TaskLogWriter::append(Instant at, const JobsEvent& event,
                           const JobsEffects& effects) {
  return writer_.append(
      [&](std::string& out) { append_step(out, at, event, effects, lines_); });
}

void TaskLogWriter::flush() {
  writer_.flush();
}

} // namespace stoker
