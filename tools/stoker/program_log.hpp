#pragma once

#include "tools/stoker/log_levels.hpp"

namespace stoker {

/// How a program's log is written: as text for people, or each line as an object of JSON.
enum class LogFormat { text, json };

/// Has the program log to standard error: a line for each event, whatever names
/// somebody has chosen.
void log_to_standard_error();

// Each changes that from now on.
void set_log_format(LogFormat format);
void set_log_levels(const LogLevels& levels);

} // namespace stoker
