#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/history.hpp"
#include "messages/instant.hpp"
#include "messages/result.hpp"
#include "storage/history_follower.hpp"

namespace stoker {

/// How much of what has ended is kept.
struct HistoryLimits {
  /// What ended longer ago is removed [stoker.history.maxAge].
  Duration age = std::chrono::hours{24 * 90};

  /// Of the file and its log; what ended first is removed [stoker.history.maxSize].
  std::int64_t bytes = std::int64_t{1} << 30;
};

/// The file of a data directory that has the history.
std::string history_file(const std::string& directory);

/// What has ended, and what was used by month, in a file of SQLite (docs/history.md).
/// For one thread. Other processes may have the file open.
///
/// Invariant: a sum by month counts each entry once, whether it is still there or was
/// removed for the limits; and nothing that ended before what was removed comes back.
/// The exception: when a clock ran ahead, and what ended by it was removed, what ends
/// from now on is kept and counted, even if some of that was counted before.
class HistoryStore {
public:
  /// Makes the file if it is not there. Fails with a line that names it.
  /// @param path empty: in memory, gone with this object
  static Result<std::unique_ptr<HistoryStore>> open(const std::string& path,
                                                    HistoryLimits limits);

  ~HistoryStore();
  HistoryStore(const HistoryStore&) = delete;
  HistoryStore& operator=(const HistoryStore&) = delete;

  /// Whether the file is still where it was opened. If it was removed or replaced, nobody
  /// would find what is written there.
  [[nodiscard]] bool has_its_file() const;

  /// Takes all of them, or none. What is there already as it is costs little.
  Status put(const std::vector<HistoryChange>& changes, Instant now);

  /// Removes some of what is beyond the limits, or gives the disk back some of what it
  /// took. Returns whether it was anything: then there may be more.
  Result<bool> remove_old(Instant now);

  /// Up to when all counted as removed, where that was later than now and is no longer so.
  /// It is told once.
  std::optional<Instant> take_mark_ahead();

  /// Fails with Errc::invalid_request.
  Result<HistoryResponse> find(const RequestHistory& x);

  /// What has ended: what runs is not here.
  Result<UseResponse> use(const RequestUse& x);

private:
  struct Connection;
  HistoryStore(std::unique_ptr<Connection> connection, HistoryLimits limits);

  /// Runs `f` in a transaction.
  template <class F>
  auto transact(F&& f);

  std::unique_ptr<Connection> connection_;
  HistoryLimits limits_;
};

} // namespace stoker
