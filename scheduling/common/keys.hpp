#pragma once

#include <compare>
#include <cstdint>
#include <variant>

namespace stoker {

/// Keys count up in order of arrival and are never used again, so an ordered
/// container of them enumerates in that order.
enum class WorkerKey : std::uint32_t {};
enum class AppKey : std::uint32_t {};
enum class DriverKey : std::uint32_t {};

/// A driver or an application. Drivers come before applications.
using ProgramKey = std::variant<DriverKey, AppKey>;

/// An application's place in the order in which a pass visits them: as they
/// were admitted.
struct QueuePosition {
  std::uint64_t position = 0;
  AppKey app{};

  friend auto operator<=>(const QueuePosition&, const QueuePosition&) = default;
};

} // namespace stoker
