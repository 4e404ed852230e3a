#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker {

// The first line that each side of a connection says, before any message:
//
//     peer                                   master
//       | STOKER 1 0.2.0 5c1d7a90e3f2b846      |
//       |------------------------------------->|
//       |        STOKER 1 0.2.0 5c1d7a90e3f2b846
//       |<-------------------------------------|   or
//       |      STOKER 1 refused: too many connections; ...
//       |<-------------------------------------|
//
// It stays as it is in all versions, so that any two of them understand why they
// do not understand each other.

/// A line with its newline is not longer.
inline constexpr std::size_t greeting_bytes_max = 256;

/// Who builds this program.
struct Greeting {
  /// Of the program, as "0.2.0".
  std::string version;

  /// Of its messages (messages/fingerprint.hpp).
  std::string messages;

  friend bool operator==(const Greeting&, const Greeting&) = default;
};

/// This program's.
Greeting own_greeting();

/// The line, with its newline.
/// @pre both words are printable and have no blanks
std::string to_line(const Greeting& x);

/// The line of a master that lets nobody in, with its newline. What of `why` is
/// not printable is left out, and so is what is too long.
std::string refusal_line(std::string_view why);

/// Reads a line without its newline. Fails with `Errc::refused` when the other side
/// refuses, with its reason, or with `Errc::invalid_request` when it is not Stoker.
Result<Greeting> parse_greeting(std::string_view line);

/// Whether a peer with this greeting understands us, and we it. `who` names it in
/// the error, as "the master at stoker://m1:7070".
Status check_greeting(const Greeting& own, const Greeting& other,
                      const std::string& who);

} // namespace stoker
