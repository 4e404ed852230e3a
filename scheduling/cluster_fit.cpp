// Whether something could ever run on the workers that there are.

#include <algorithm>

#include "scheduling/cluster.hpp"

namespace stoker {

namespace {

/// "64 GB" where it is whole, else "1500 MB".
std::string in_words(std::int64_t memory_mb) {
  if (memory_mb % 1024 == 0)
    return std::to_string(memory_mb / 1024) + " GB";
  return std::to_string(memory_mb) + " MB";
}

std::string in_words(int cores) {
  return std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

} // namespace

std::optional<std::string>
Cluster::why_never_fits(int cores, std::int64_t memory_mb,
                        const std::string& what) const {
  int most_cores = 0;
  std::int64_t most_memory_mb = 0;
  for (const auto& [key, worker] : workers_) {
    if (worker.state != WorkerState::ALIVE
        && worker.state != WorkerState::UNKNOWN)
      continue;
    if (worker.cores >= cores && worker.memory_mb >= memory_mb)
      return std::nullopt;
    most_cores = std::max(most_cores, worker.cores);
    most_memory_mb = std::max(most_memory_mb, worker.memory_mb);
  }
  // Without a worker there is nothing to compare with: one may come.
  if (most_cores == 0)
    return std::nullopt;
  if (most_memory_mb < memory_mb)
    return "needs " + in_words(memory_mb) + " per " + what
           + ", the largest worker has " + in_words(most_memory_mb);
  if (most_cores < cores)
    return "needs " + in_words(cores) + " per " + what
           + ", the largest worker has " + in_words(most_cores);
  return "needs " + in_words(cores) + " and " + in_words(memory_mb) + " per "
         + what + ", no worker has both";
}

} // namespace stoker
