#include "tools/stoker/program_log_options.hpp"

#include "tools/stoker/command_error.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/program_log.hpp"

namespace stoker {

void ProgramLogOptions::apply(LogLevels::Level usual) const {
  auto chosen = LogLevels::parse(levels, usual);
  if (!chosen)
    throw CommandError{exit_usage, "--log-level: " + chosen.error().message};
  set_log_levels(*chosen);
  set_log_format(format == "json" ? LogFormat::json : LogFormat::text);
}

void add_program_log_options(CLI::App& app, ProgramLogOptions& target) {
  app.add_option("--log-format", target.format,
                 "How the log on standard error is written: text, or a line of "
                 "JSON for each event")
      ->envname("STOKER_LOG_FORMAT")
      ->check(word_of({"text", "json"}))
      ->capture_default_str();
  app.add_option(
         "--log-level", target.levels,
         "From which level on: debug, info, warn, error, critical or off; "
         "for all, and for events that begin so: warn,spark=info,executor=off")
      ->envname("STOKER_LOG_LEVEL")
      ->type_name("LEVELS");
}

} // namespace stoker
