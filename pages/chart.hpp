#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stoker::pages {

/// A line of a chart over time.
struct ChartLine {
  std::string name;

  /// Milliseconds since 1970, and how much it was from then on, or then.
  std::vector<std::pair<std::int64_t, double>> points;

  /// It stays what it is until the next point.
  bool stepped = false;

  /// It is still what it was at the last point.
  bool goes_on = false;
};

struct Chart {
  std::string title;

  /// What it shows, for who sees no charts.
  std::string label;

  /// A sentence on what it leaves out; empty: nothing.
  std::string note;

  /// Of the same moments, each of them.
  std::vector<ChartLine> lines;

  /// Where the history has what the note says of; empty: it has none of it.
  std::string href_of_history = {};
};

/// With some of its values as a table, for who sees no charts or has no script.
std::string html(const Chart& x);

/// How many there were at each moment, from when each one came and went.
/// @param begun_ms when the first moment was: those that are there then have come by then
/// @param ended_ms when the last moment was; unset: it goes on
/// @param points_max of what is shown; older and newer ones are thinned alike
ChartLine count_over_time(
    std::string name,
    const std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>&
        spans,
    std::int64_t begun_ms, std::optional<std::int64_t> ended_ms,
    std::size_t points_max);

} // namespace stoker::pages
