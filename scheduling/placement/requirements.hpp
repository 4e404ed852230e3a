#pragma once

#include <compare>
#include <optional>
#include <set>
#include <string>

#include "messages/named_resources.hpp"
#include "scheduling/common/spark_release.hpp"

namespace stoker {

/// A program of Spark's, of this release, which runs where that is installed; unset:
/// any other program.
using ProgramKind = std::optional<SparkRelease>;

/// Which programs a worker runs.
using ProgramKinds = std::set<ProgramKind>;

/// What a program needs of a worker besides cores and memory.
struct Requirements {
  /// What it takes, so that others cannot have it.
  ResourceAmounts named;

  /// What the worker has to run. However many programs do so, nothing is taken.
  ProgramKind kind;

  friend auto operator<=>(const Requirements&, const Requirements&) = default;
};

/// "2 gpu and 1 fpga"; empty: nothing.
[[nodiscard]] std::string format_amounts(const ResourceAmounts& x);

/// "2 gpu, 1 fpga and Spark 3.5"; empty: nothing.
[[nodiscard]] std::string format_requirements(const Requirements& x);

} // namespace stoker
