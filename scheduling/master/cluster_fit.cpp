// Whether something could ever run on the workers that there are.

#include "scheduling/common/format.hpp"
#include "scheduling/master/cluster.hpp"

namespace stoker {

std::optional<std::string>
Cluster::why_never_fits(ExecutorSize size, const ResourceAmounts& named,
                        const std::string& what) const {
  // Without a worker there is nothing to compare with: one may come.
  if (totals_.empty())
    return std::nullopt;
  auto candidate = totals_.first(size);
  while (
      candidate
      && workers_.at(WorkerKey{candidate->number}).resources.times_in_all(named)
             == 0)
    candidate = totals_.next(*candidate, size);
  if (candidate)
    return std::nullopt;
  auto most = totals_.most();
  if (most.memory_mb < size.memory_mb)
    return "needs " + format_memory(size.memory_mb) + " per " + what
           + ", the largest worker has " + format_memory(most.memory_mb);
  if (most.cores < size.cores)
    return "needs " + format_cores(size.cores) + " per " + what
           + ", the largest worker has " + format_cores(most.cores);
  auto needs = "needs " + format_cores(size.cores) + " and "
               + format_memory(size.memory_mb);
  if (totals_.fits(size))
    return needs + " with " + format_amounts(named) + " per " + what
           + ", no worker has all of these";
  return needs + " per " + what + ", no worker has both";
}

} // namespace stoker
