#pragma once

namespace stoker {

/// Has the program log to standard error: a line for each event, whatever names
/// somebody has chosen.
void log_to_standard_error();

} // namespace stoker
