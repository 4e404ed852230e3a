#pragma once

#include <optional>
#include <span>

namespace stoker {

/// What the values of a message are, by the names of their types.
enum class BaspContent {
  /// Messages of ours, and plain values.
  own,

  /// One error: how CAF answers what could not be done.
  error,

  /// What CAF acts upon by itself, or what nobody here says.
  other,
};

/// The beginning of a message is not longer, in bytes: the names of its types.
inline constexpr std::size_t basp_beginning_max = 512;

/// Reads the beginning of a message as CAF writes it. Nothing: it is longer.
std::optional<BaspContent> basp_content(std::span<const char> message);

/// Whether what an error says, as CAF writes it, are messages of ours and plain
/// values, or nothing.
bool is_plain_error(std::span<const char> bytes);

} // namespace stoker
