#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "jobs/graph.hpp"
#include "jobs/plan.hpp"
#include "messages/result.hpp"

namespace stoker::jobs {

/// Who runs the jobs of datasets. Functions may be called by any thread.
class Runner {
public:
  Runner() = default;
  virtual ~Runner() = default;

  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// The number of a stage that is kept until the lease ends.
  virtual std::unique_ptr<StageLease> lease_stage() = 0;

  /// Takes a task's result, piece by piece. Tasks come in their order.
  using TakeResult
      = std::function<Status(std::size_t task, std::string_view bytes)>;

  /// Runs a job to its end. Fails if it fails, or if `take` does.
  virtual Status run(const Node& target, const Action& action,
                     const TakeResult& take)
      = 0;

  /// Of datasets that do not say it [spark.default.parallelism]; 0: as many as what
  /// they are made of has.
  [[nodiscard]] virtual int default_partitions() const = 0;

  /// Cores that there may be: what a source is cut for that does not say it.
  [[nodiscard]] virtual int cores() const = 0;
};

/// Runs a job whose tasks write parts of a directory, which does not exist yet.
/// @param directory Relative ones begin in the working directory.
Status run_saving(Runner& runner, const Node& target, Action action,
                  const std::string& directory);

/// As `Runner::run`, with each task's result as a whole.
Status run_whole(Runner& runner, const Node& target, const Action& action,
                 const std::function<Status(std::string bytes)>& take);

} // namespace stoker::jobs
