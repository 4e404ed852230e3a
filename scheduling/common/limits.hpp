#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker {

// The largest figures that are taken from others: far beyond any machine, and
// small enough that no sum or product of them overflows.

inline constexpr int cores_max = 1'000'000;
inline constexpr std::int64_t memory_mb_max = std::int64_t{1} << 40;

/// A hundred years.
inline constexpr std::int64_t time_limit_ms_max
    = std::int64_t{100} * 365 * 24 * 3600 * 1000;

/// Workers of one certificate: as many as 'stoker worker --instances' starts.
inline constexpr std::size_t workers_of_certificate_max = 1000;

// Texts that others choose, in bytes.

/// Of applications, drivers and users.
inline constexpr std::size_t name_bytes_max = 4096;

/// What tells workers, endpoints and submissions apart, and hosts.
inline constexpr std::size_t id_bytes_max = 256;

/// Arguments and environment of a program: what Linux takes (execve(2)).
inline constexpr std::size_t command_bytes_max = std::size_t{2} * 1024 * 1024;

/// Hosts that an application prefers, and kinds of named resources and versions of
/// Spark of a worker.
inline constexpr std::size_t hosts_max = 10'000;
inline constexpr std::size_t kinds_max = 64;

/// Why something has failed, in characters: what is longer is cut.
inline constexpr std::size_t failure_characters_max = 1000;

/// Arguments of all instances together. They are stored with each change of their
/// application.
inline constexpr std::size_t instance_arguments_bytes_max
    = std::size_t{256} * 1024;

/// Arguments and environment of a program that follows an end: as those of instances.
inline constexpr std::size_t hook_bytes_max = std::size_t{256} * 1024;

/// For so many others an application or a driver may wait.
inline constexpr std::size_t dependencies_max = 100;

/// Instances are remembered one by one.
inline constexpr int instances_max = 100'000;

} // namespace stoker
