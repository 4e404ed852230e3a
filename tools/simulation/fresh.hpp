#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stoker::simulation {

/// Which fresh seeds are run.
struct FreshSeeds {
  /// Seeds go to the scenarios in turn, so that all have as many, but for one.
  std::vector<std::string> scenarios;

  /// How many seeds in all.
  std::uint64_t count = 0;

  /// The first seed of each scenario.
  std::uint64_t base = 0;

  /// How many processes run them.
  int jobs = 1;

  /// The run stops after so long, but not before so many seeds have run; unset: when all have.
  std::optional<std::chrono::seconds> at_most;
  std::uint64_t at_least = 0;

  /// Failing scenarios are printed as they are, and not reduced.
  bool whole = false;
};

/// @return a base that no earlier run had, as far as chance can tell
[[nodiscard]] std::uint64_t invent_base();

/// Runs fresh seeds. Prints the base, progress (to standard error), each failure with the
/// reduced scenario of the first of its kind, and a line for each scenario. SIGINT and SIGTERM
/// stop the run, which then prints the same lines.
/// @return the exit status: 0; 1 if a seed failed; 130 if a signal stopped the run
/// @throws std::runtime_error if no process can be started
[[nodiscard]] int run_fresh(const FreshSeeds& what);

} // namespace stoker::simulation
