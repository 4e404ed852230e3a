#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduling/common/keys.hpp"
#include "scheduling/placement/capacity.hpp"

namespace stoker {

/// The executors that admitted applications want, and admitted drivers that wait for a
/// worker, and whether any worker could
/// ever hold them, even an empty one. There are few shapes, however many
/// applications there are.
///
/// Invariant: each of them has one shape; what is said of it holds for the
/// workers of the last `workers_changed`, or of its `set` if that came later.
class WantedShapes {
public:
  /// Returns whether a worker could hold it.
  bool set(ProgramKey program, ExecutorShape shape, const Capacity& capacity);

  /// It wants nothing. An unknown one is harmless.
  void erase(ProgramKey program);

  /// Those for whom the answer changes because workers have come or gone, and
  /// those whom still no worker could hold. Nothing while the workers are the
  /// same.
  [[nodiscard]] std::vector<ProgramKey>
  workers_changed(const Capacity& capacity);

  /// Null: the application wants no executor.
  [[nodiscard]] const ExecutorShape* find(ProgramKey program) const;

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  struct Wanted {
    bool holdable = false;
    std::set<ProgramKey> programs;
  };

  std::map<ExecutorShape, Wanted> shapes_;
  std::unordered_map<ProgramKey, ExecutorShape> of_program_;

  /// Of `Capacity::workers_version`.
  std::uint64_t version_ = 0;
};

} // namespace stoker
