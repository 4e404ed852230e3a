#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "messages/following.hpp"
#include "messages/ids.hpp"
#include "messages/output.hpp"
#include "messages/program_id.hpp"

namespace stoker {

// What who follows an output is told between the lines of the program: the same at the
// command line and over HTTP (docs/rest.md, Limits). One line each, which can be printed.

/// "12 bytes are no longer kept"
std::string no_longer_kept_text(std::int64_t bytes);

/// Returns the bytes between the offset that a reader asked for and the data of the part which
/// rotation deleted. A negative offset asks for the end: then nothing is missing.
std::int64_t no_longer_kept(const OutputPart& x, std::int64_t asked);

/// Why something is missing of a complete output: "12 bytes could not be written by its
/// worker", or what its worker says. std::nullopt: nothing is missing.
std::optional<std::string> loss_text(const OutputPart& x);

/// Whether the output cannot be read now: there is more, and it is to be asked for again.
bool is_unreadable(const OutputPart& x);

/// "worker w1 is lost, and what was not read of this output with it"
/// @param why What became of its worker
std::string lost_with_worker_text(const std::string& why);

/// "started again as driver-2"
std::string started_again_text(const DriverId& successor);

/// "driver-1 has not been given to a worker yet"
std::string not_placed_yet_text(const ProgramId& x);

/// "driver-1 has ended as FAILED before it was given to a worker: why". Where its state is
/// not known: "driver-1 has ended before it was given to a worker".
std::string never_started_text(const ProgramEnd& x);

} // namespace stoker
