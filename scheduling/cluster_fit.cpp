// Whether something could ever run on the workers that there are.

#include "scheduling/cluster.hpp"
#include "scheduling/words.hpp"

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
    return "needs " + memory_in_words(size.memory_mb) + " per " + what
           + ", the largest worker has " + memory_in_words(most.memory_mb);
  if (most.cores < size.cores)
    return "needs " + cores_in_words(size.cores) + " per " + what
           + ", the largest worker has " + cores_in_words(most.cores);
  auto needs = "needs " + cores_in_words(size.cores) + " and "
               + memory_in_words(size.memory_mb);
  if (totals_.fits(size))
    return needs + " with " + in_words(named) + " per " + what
           + ", no worker has all of these";
  return needs + " per " + what + ", no worker has both";
}

} // namespace stoker
