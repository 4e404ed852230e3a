#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "messages/resource_use.hpp"
#include "process/launch_mark.hpp"
#include "process/launch_spec.hpp"
#include "process/process_tree.hpp"

// The control protocol between a worker's monitor and one supervisor: lines of
// JSON over a Unix socket. There are two ways to a connection, and then one
// conversation:
//
//     monitor                      supervisor
//        |-- Launch ------------------>|   on standard input, once
//        |-- hello ------------------->|   or: over control.sock, at any time
//        |<-- State -------------------|   now, and on every change
//        |-- keep -------------------->|   as readers come, go and read
//        |-- input, and its bytes ---->|   one at a time
//        |<-- InputState --------------|   when something is taken, or can be
//        |-- end --------------------->|
//        |<-- State (ended) -----------|
//        |-- acknowledge ------------->|   exits
//
// The bytes of a piece of input follow the newline of their request as they are.
//
// State is also what `state.json` holds, so a monitor that comes too late to
// ask reads the same.

namespace stoker::process {

/// Greater numbers are for versions that could not understand each other.
inline constexpr int protocol_version = 2;

/// No line but that of the launch is longer, newline included.
inline constexpr std::size_t line_bytes_max = 64 * 1024;

// -- monitor to supervisor ----------------------------------------------------

/// The first line that a supervisor reads.
struct Launch {
  /// Unique to this launch. The program and its descendants carry it in their
  /// environment as `STOKER_SUPERVISION`.
  std::string token;
  LaunchSpec spec;
};

enum class RequestKind {
  /// Takes over from whichever monitor was connected before.
  hello,
  /// Ends the program: TERM, grace, KILL.
  end,
  /// Keeps output for readers.
  keep,
  /// Writes to the program's standard input. What was taken is not written again.
  input,
  /// The final state is known; the supervisor is no longer needed.
  acknowledge,
};

/// A piece of the program's standard input, but for its bytes.
struct InputPiece {
  /// Of the first byte, from the start of the input.
  std::int64_t offset = 0;

  /// How many there are.
  std::size_t bytes = 0;

  /// Nothing follows them.
  bool end = false;

  friend bool operator==(const InputPiece&, const InputPiece&) = default;
};

/// Everything that a monitor says later on. Repeating it changes nothing.
struct Request {
  RequestKind kind = RequestKind::hello;

  /// Of `keep`: all that holds from now on.
  KeptOutput kept;

  /// Of `input`.
  InputPiece input{};

  friend bool operator==(const Request&, const Request&) = default;
};

// -- supervisor to monitor, and state.json ------------------------------------

///     starting ---> running ---> ended
///        |             |
///        |             +-------> lost           guard or supervisor died
///        +--> could_not_start
enum class Phase { starting, running, could_not_start, ended, lost };

/// The time of day, as `State::ended_ms` has it.
std::int64_t milliseconds_since_1970();

/// Whether nothing follows any more.
bool is_final(Phase phase) noexcept;

/// How much a program's logs took, in bytes from the start of the output. That counts
/// also what was rotated away.
struct WrittenOutput {
  std::int64_t out = 0;
  std::int64_t err = 0;

  friend bool operator==(const WrittenOutput&, const WrittenOutput&) = default;
};

/// All that is known about one launch.
struct State {
  Phase phase = Phase::starting;
  std::string token;
  /// Directory of the program's control group, empty without one.
  std::string cgroup;
  ProcessId guard;
  ProcessId supervisor;
  ProcessId program;
  /// An `errno` value, of `could_not_start`.
  int error = 0;
  /// Of `could_not_start`: it could not enter the working directory.
  bool in_directory = false;
  /// Of `could_not_start` and `lost`.
  std::string message;
  std::optional<int> exit_code;
  std::optional<int> signal;
  /// Whether an `end` was received in time.
  bool requested = false;
  /// An `errno` value while the program waits because its output cannot be
  /// written, else 0.
  int output_error = 0;
  /// Bytes of output that were dropped.
  std::int64_t lost_output = 0;
  /// Of `ended`: a log that ends earlier has lost its end. Unset in states of older
  /// supervisors.
  std::optional<WrittenOutput> written;
  /// Of `ended`.
  std::optional<ResourceUse> use;
  /// Of `ended`: when, in milliseconds since 1970.
  std::optional<std::int64_t> ended_ms;
  /// Whether the program reads what is written to it (`input`).
  bool takes_input = false;
  /// Whether a link names the oldest file of each log that rotation kept: what else is missing
  /// was taken. False in states of older supervisors.
  bool names_oldest = false;
  /// What the program and its descendants carry; 0 if an older version started it.
  LaunchMark mark = 0;
};

/// How far the program's standard input is.
struct InputState {
  /// In bytes, from its start.
  std::int64_t taken = 0;
  /// The program reads no more, or has all.
  bool closed = false;
  /// Why a piece was not taken, in one line.
  std::optional<std::string> problem;

  friend bool operator==(const InputState&, const InputState&) = default;
};

// -- encoding -----------------------------------------------------------------

/// Each gives one line without its newline.
std::string to_json(const Launch& launch);
std::string to_json(const Request& request);
std::string to_json(const State& state);
std::string to_json(const InputState& state);

/// Fails if the text is not a valid launch.
Result<Launch> parse_launch(std::string_view text);

/// These return `nullopt` for anything else, other versions included.
std::optional<Request> parse_request(std::string_view text);
std::optional<State> parse_state(std::string_view text);
std::optional<std::variant<State, InputState>>
parse_news(std::string_view text);

} // namespace stoker::process
