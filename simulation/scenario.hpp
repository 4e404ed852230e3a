#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/common/instant.hpp"

namespace stoker::simulation {

/// What is done to a cluster at some time. `who` counts modulo how many there
/// are; `other` is a second one, an amount or a shape; `lasts` is for how long.
struct Item {
  Duration at{};
  std::string what;
  std::int64_t who = 0;
  std::int64_t other = 0;
  Duration lasts{};

  friend bool operator==(const Item&, const Item&) = default;
};

/// All that gives a run: equal scenarios run equally. Every item can be left
/// out, so that a scenario can be made smaller.
struct Scenario {
  std::uint64_t seed = 1;
  int masters = 2;
  int workers = 4;
  bool gpus = false;
  bool tenants = false;

  /// Above 0: of a driver with so many executors on the workers' machines, and its
  /// jobs. There are no masters then.
  int executors = 0;

  /// How long items happen; then all faults end.
  Duration chaos = std::chrono::minutes{2};
  std::vector<Item> items;

  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// The kinds of scenarios that can be asked for by name.
std::vector<std::string> scenario_names();

/// A scenario of that kind; `mixed` has everything.
/// @pre `name` is one of `scenario_names()`
Scenario invent(const std::string& name, std::uint64_t seed);

/// Returns true if the rules for tenants are read again during the run.
bool changes_rules(const Scenario& x);

/// One line for the cluster, and one for each item.
std::string to_text(const Scenario& x);

/// The reverse, or nothing and what is wrong in `problem`. Lines that are empty,
/// or begin with #, "seed" or "scenario", say nothing: what `stoker-sim` prints of a
/// failure can be read.
std::optional<Scenario> from_text(const std::string& text,
                                  std::string& problem);

} // namespace stoker::simulation
