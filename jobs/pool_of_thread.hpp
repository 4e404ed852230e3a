#pragma once

#include <string>

namespace stoker::jobs {

/// While it lives, jobs that its thread begins are of this pool, in all contexts, and not
/// of that of spark.scheduler.pool. Spark's local property of that name. To be destroyed
/// by its thread, the last one first.
class PoolOfThread {
public:
  explicit PoolOfThread(std::string pool);
  ~PoolOfThread();

  PoolOfThread(const PoolOfThread&) = delete;
  PoolOfThread& operator=(const PoolOfThread&) = delete;

  /// Of the calling thread; null: it has none.
  [[nodiscard]] static const std::string* name() noexcept;

private:
  const std::string pool_;
  const PoolOfThread* const outer_;
};

} // namespace stoker::jobs
