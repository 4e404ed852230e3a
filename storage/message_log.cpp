#include "storage/message_log.hpp"

#include "storage/log_lines.hpp"
#include "storage/message_log_format.hpp"

namespace stoker {

MessageLogWriter::MessageLogWriter(const std::string& path,
                                   const ClusterConfig& config,
                                   MessageLogLimits limits)
    : writer_(path, LogKind::master, log_lines::config_text(config), limits) {
}

bool MessageLogWriter::append(Instant at, const EndpointId& from,
                              const Event& event, const StepResult& result,
                              const ClusterConfig* made_with) {
  return writer_.append([&](std::string& out) {
    append_step(out, at, from, event, result, made_with);
  });
}

bool MessageLogWriter::append(const Cluster& after, const EndpointId& from,
                              const Event& event, const StepResult& result) {
  auto begins = std::holds_alternative<ElectedLeader>(event);
  return append(after.now(), from, event, result,
                begins ? &after.config() : nullptr);
}

void MessageLogWriter::flush() {
  writer_.flush();
}

std::string MessageLogWriter::problem() const {
  return writer_.problem();
}

} // namespace stoker
