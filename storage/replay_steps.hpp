#pragma once

// What replays of all kinds of message logs have in common.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/instant.hpp"

namespace stoker {

template <class Step>
struct ReplayOptionsOf {
  /// The last step to take; unset: all.
  std::optional<std::uint64_t> until;

  /// Called before each step. False ends the replay there.
  std::function<bool(const Step&)> before_step;
};

/// The first step that had other effects.
struct ReplayDifference {
  std::uint64_t step = 0;
  Instant at;

  /// As `to_string` renders it.
  std::string event;

  /// The first effect that differs, then and now; "nothing" where there is
  /// none.
  std::string then;
  std::string now;
};

/// "step 2 at 2026-11-21 07:46:00.000 UTC (RegisterWorker id=...): then: ...,
/// now: ..."
std::string to_string(const ReplayDifference& x);

/// `2026-11-21 07:46:00.000`, in UTC.
std::string utc_time(Instant x);

namespace replay_detail {

/// The first effect that differs, then and now.
std::optional<std::pair<std::string, std::string>>
first_difference(const std::vector<std::string>& then,
                 const std::vector<std::string>& now);

/// @throws std::runtime_error when the log's beginning is gone.
void require_beginning(std::uint64_t first_step);

/// Takes the steps of a log, until there is a difference.
/// @param take Takes one, and returns its effects as lines.
/// @throws std::runtime_error
template <class Log, class Options, class Result, class Take>
void take_steps(Log& log, const Options& options, Result& result, Take take) {
  require_beginning(log.header().first_step);
  while (!options.until || result.steps < *options.until) {
    auto step = log.next();
    if (!step || (options.before_step && !options.before_step(*step)))
      return;
    auto now = take(*step);
    ++result.steps;
    if (auto differs = first_difference(step->effects, now)) {
      result.difference = ReplayDifference{
          step->number, step->at, to_string(step->event),
          std::move(differs->first), std::move(differs->second)};
      return;
    }
  }
}

} // namespace replay_detail

} // namespace stoker
