#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "outputs/output_reservation.hpp"

namespace stoker {

/// What an OutputService takes upon itself.
struct OutputLimits {
  /// What the executors of one application may have on the disk of this worker, in
  /// bytes.
  std::uint64_t quota_bytes = ReservationTable::unlimited;

  /// Threads that serve.
  std::size_t threads = 2;

  /// Of all applications, and of one. When there is one more, the one of the same
  /// application that has asked for nothing for longest is closed. Not more than
  /// there are descriptors for.
  std::size_t connections_max = 4096;
  std::size_t connections_per_application = 1024;

  /// Those that have yet to prove which application they are of: of more, the oldest
  /// are closed; and how long that may take.
  std::size_t handshakes_max = 128;
  std::chrono::milliseconds handshake_timeout{5'000};

  /// A connection is closed that asks for nothing for so long, or takes nothing of
  /// what it asked for.
  std::chrono::milliseconds idle_timeout{120'000};

  /// Memory of a connection that is answered.
  std::size_t buffer_bytes = std::size_t{128} << 10;

  /// Memory for the indexes that were read last, of all applications.
  std::size_t index_cache_bytes = std::size_t{32} << 20;
};

} // namespace stoker
