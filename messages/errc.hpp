#pragma once

#include <cstdint>

namespace stoker {

/// What can go wrong at the far end of a request and that a caller can react
/// to. The numbers travel over the network: append, never reorder.
enum class Errc : std::uint8_t {
  /// Not an error.
  none = 0,
  /// The master is not the active one. Ask another, or later.
  not_alive,
  /// No such application, executor or driver.
  not_found,
  /// What was asked for holds no process at present (it waits for a worker) or
  /// its worker is not connected.
  not_running,
  /// A field of the request has a value that it must not have.
  invalid_request,
  /// The worker could not read what was asked for.
  unreadable,
};

/// @relates Errc
/// The enumerator's name.
const char* to_string(Errc x) noexcept;

} // namespace stoker
