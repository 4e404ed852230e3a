#include "tools/stoker/log_options.hpp"

#include "tools/stoker/options.hpp"

namespace stoker {

MessageLogLimits MessageLogOptions::limits() const {
  return {static_cast<std::uint64_t>(max_size_mb.value_or(0)) << 20, files};
}

void add_message_log_options(CLI::App& app, MessageLogOptions& target) {
  app.add_option("--log", target.file,
                 "Write every event and what followed to a file, for replay")
      ->type_name("FILE");
  add_memory_option(app, "--log-max-size", target.max_size_mb,
                    "Begin another file when the log has this size; 0: never "
                    "(default: 1g)");
  app.add_option("--log-files", target.files,
                 "How many files of the log to keep: FILE, FILE.1 (older), ...")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

} // namespace stoker
