#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "storage/journal.hpp"
#include "storage/stored_tables.hpp"

namespace stoker {

/// What journals in memory have committed: it outlives them, and lasts as long
/// as the process. Several may be open on one store, each on its own thread.
///
/// For tests: the second implementation of the interface, against which the
/// suite of all journals runs as well. What is committed here stays, so a test
/// of the loss of what was not synced has to withhold those changes. A master
/// that stores nothing (`spark.deploy.recoveryMode=NONE`) has no journal.
class MemoryStore {
public:
  /// `before` is called at the start of each `lead` and `commit`. Its error is
  /// theirs: so a disk fails.
  explicit MemoryStore(std::function<Status()> before = [] { return Status{}; })
      : before_(std::move(before)) {
  }

  Result<Leadership> lead(const std::string& master_url, std::int64_t at_ms);
  Status commit(LeaderEpoch epoch, const Changes& changes);
  [[nodiscard]] Status check(LeaderEpoch epoch) const;

  /// Of the last leadership; 0: there was none.
  [[nodiscard]] LeaderEpoch epoch() const;

  /// What is stored at present.
  [[nodiscard]] StoredState snapshot() const;

private:
  /// Whether no later leadership has begun.
  /// @pre the lock is held
  [[nodiscard]] Status check_epoch(LeaderEpoch epoch) const;

  mutable std::mutex mutex_;
  std::function<Status()> before_;
  LeaderEpoch epoch_;
  std::string master_url_;
  StoredTables tables_;
};

/// A journal on a MemoryStore.
class MemoryJournal : public Journal {
public:
  explicit MemoryJournal(std::shared_ptr<MemoryStore> store)
      : store_(std::move(store)) {
  }

  Result<Leadership> lead(const std::string& master_url,
                          std::int64_t at_ms) override;
  Status commit(const Changes& changes) override;
  Status check() override;

private:
  std::shared_ptr<MemoryStore> store_;

  /// Of this journal's last leadership; 0: there was none.
  LeaderEpoch epoch_;
};

} // namespace stoker
