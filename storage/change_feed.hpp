#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "messages/leader_epoch.hpp"
#include "scheduling/leadership/commit_queue.hpp"
#include "storage/stored_tables.hpp"

namespace stoker {

/// How far somebody has followed what leaders commit: the last batch that was
/// read of a leadership. That of one who has read nothing is the default.
/// Positions are ordered as what was committed.
struct FeedPosition {
  LeaderEpoch epoch;
  std::uint64_t batch = 0;

  friend auto operator<=>(const FeedPosition&, const FeedPosition&) = default;
};

/// What follows a position: first the snapshot, if there is one, which replaces
/// all that was read before; then the batches, in order.
struct FeedUpdate {
  /// Where to read on.
  FeedPosition position;

  /// Null where the batches suffice.
  std::shared_ptr<const StoredState> snapshot;

  std::vector<SharedChanges> batches;

  /// How often drivers have told of their jobs, which are not stored: for the feed to fill
  /// in.
  std::uint64_t jobs = 0;
};

/// What is committed, for many who follow it at speeds of their own. It keeps the
/// last batches; who has fallen behind them gets a snapshot, so that nobody makes
/// it grow and nobody misses anything.
///
/// Invariants: the tables are the state at the end of the last batch; the batches
/// are numbered without gaps; they hold at most `limit` changes, or are one.
class ChangeFeed {
public:
  static constexpr std::size_t default_limit = 10'000;

  /// @param limit How many changes are kept.
  explicit ChangeFeed(std::size_t limit = default_limit) : limit_(limit) {
  }

  /// A leadership has begun with what is stored.
  void begin(LeaderEpoch epoch, const StoredState& stored);

  /// Something was committed. Ignored if it is of another leadership.
  /// @pre batch `number - 1` was appended, or `number` is 1
  void append(LeaderEpoch epoch, std::uint64_t number, SharedChanges changes);

  /// That of who has read all of it.
  [[nodiscard]] const FeedPosition& position() const noexcept {
    return end_;
  }

  /// Whether something follows a position.
  [[nodiscard]] bool has_news(const FeedPosition& after) const noexcept {
    return end_.epoch.value != 0 && after != end_;
  }

  /// @pre has_news(after)
  [[nodiscard]] FeedUpdate read(const FeedPosition& after) const;

private:
  std::size_t limit_;
  StoredTables tables_;
  std::deque<SharedChanges> batches_;

  /// How many changes the batches hold.
  std::size_t changes_ = 0;

  /// Of the last batch.
  FeedPosition end_;
};

} // namespace stoker
