#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "messages/ids.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "outputs/output_index.hpp"

namespace stoker {

/// The indexes that were used last: each is asked for once by every task that reads
/// a partition of it. May be used by any thread.
class IndexCache {
public:
  /// @param bytes_max Of the memory that they take; what is in use is not counted.
  explicit IndexCache(std::size_t bytes_max) : bytes_max_(bytes_max) {
  }

  /// From memory, or from the file. Fails as `read_index`.
  Result<std::shared_ptr<const OutputIndex>>
  get(const AppId& app, const std::filesystem::path& directory,
      const TaskAttempt& attempt);

  /// Forgets what is removed: all of an application, or one of its stages.
  void forget(const AppId& app);
  void forget(const AppId& app, StageId stage);

  /// How much memory is taken.
  [[nodiscard]] std::size_t bytes() const;

private:
  using Key = std::pair<AppId, TaskAttempt>;
  using Kept = std::pair<Key, std::shared_ptr<const OutputIndex>>;
  using Place = std::list<Kept>::iterator;

  /// @pre the lock is held
  void erase(std::map<Key, Place>::iterator first,
             std::map<Key, Place>::iterator last);

  const std::size_t bytes_max_;
  mutable std::mutex mutex_;

  /// The last one used is in front.
  std::list<Kept> kept_;
  std::map<Key, Place> places_;
  std::size_t bytes_ = 0;
};

} // namespace stoker
