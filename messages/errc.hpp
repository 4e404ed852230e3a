#pragma once

#include <cstdint>

namespace stoker {

/// What can go wrong and that a caller can react to. The numbers travel over the
/// network: append, never reorder.
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
  /// A field of a request or of a configuration has a value that it must not
  /// have.
  invalid_request,
  /// What was asked for could not be read: by a worker, or of a message log.
  unreadable,
  /// It did not work, for a reason that only the message tells.
  failed,
  /// Another process has it. It may be had later.
  in_use,
  /// Reading or writing failed, or is not allowed.
  io,
  /// No space is left, or a quota is used up.
  full,
  /// What is stored is damaged, or nothing of ours.
  corrupt,
  /// It was written by a newer program, which this one cannot read.
  too_new,
  /// Another leader has begun since: its epoch is in the store.
  fenced,
  /// The connection broke, or the answer did not come in time: the request may
  /// have been carried out.
  no_answer,
  /// Whoever asks may not.
  not_allowed,
  /// Somebody is there and lets nobody like us in, as a master of another build. It
  /// may be otherwise later. Never travels.
  refused,
  /// The other side is not of this cluster by its certificate, or ours is not by its
  /// opinion. Trying again does not help. Never travels.
  untrusted,
  /// No process listens at that address. Never travels.
  no_listener,
};

/// @relates Errc
/// The enumerator's name.
const char* to_string(Errc x) noexcept;

} // namespace stoker
