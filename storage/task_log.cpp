#include "storage/task_log.hpp"

#include "storage/log_lines.hpp"

namespace stoker {

TaskLogWriter::TaskLogWriter(const std::string& path, const JobsConfig& config,
                             MessageLogLimits limits)
    : writer_(path, LogKind::task_scheduler, log_lines::config_text(config),
              limits) {
}

bool TaskLogWriter::append(Instant at, const JobsEvent& event,
                           const JobsEffects& effects) {
  return writer_.append(
      [&](std::string& out) { append_step(out, at, event, effects, lines_); });
}

void TaskLogWriter::flush() {
  writer_.flush();
}

std::string TaskLogWriter::problem() const {
  return writer_.problem();
}

} // namespace stoker
