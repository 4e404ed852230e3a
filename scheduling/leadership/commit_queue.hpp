#pragma once

#include <cassert>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scheduling/common/instant.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// Changes on their way to the store, and from there to whoever follows them.
using SharedChanges = std::shared_ptr<const Changes>;

/// Holds back what a leader sends until all that it presumes is committed: step,
/// commit, then send. What steps gather while one commit is under way is the
/// next commit, so that many steps share one.
///
///     push ---> gathered --begin--> under way --committed--> sent
///       \ nothing to commit, nothing under way ------------> sent
class CommitQueue {
public:
  /// Takes what a step changes of what is stored, and what it sends. Returns
  /// what may be sent now.
  [[nodiscard]] std::optional<Outbox> push(Instant now, Changes changes,
                                           Outbox outbox) {
    if (changes.empty() && !has_pending())
      return outbox;
    if (!gathered_.since)
      gathered_.since = now;
    gathered_.changes.insert(gathered_.changes.end(),
                             std::make_move_iterator(changes.begin()),
                             std::make_move_iterator(changes.end()));
    if (!outbox.items.empty())
      gathered_.outboxes.push_back(std::move(outbox));
    return std::nullopt;
  }

  /// What to commit next. Null while a commit is under way, or when there is
  /// nothing to commit.
  [[nodiscard]] SharedChanges begin() {
    if (under_way_ || gathered_.changes.empty())
      return nullptr;
    auto batch = std::exchange(gathered_, {});
    under_way_since_ = *batch.since;
    under_way_ = {std::make_shared<const Changes>(std::move(batch.changes)),
                  std::move(batch.outboxes)};
    return under_way_->changes;
  }

  [[nodiscard]] bool is_under_way() const noexcept {
    return under_way_.has_value();
  }

  struct Committed {
    SharedChanges changes;

    /// What may be sent now, in order.
    std::vector<Outbox> outboxes;
  };

  /// The commit is done.
  /// @pre one is under way
  [[nodiscard]] Committed committed() {
    auto result = *std::exchange(under_way_, std::nullopt);
    // What changed nothing only had to wait for its turn.
    if (gathered_.changes.empty())
      for (auto& x : std::exchange(gathered_, {}).outboxes)
        result.outboxes.push_back(std::move(x));
    return result;
  }

  /// Nothing more will be committed. Returns what was not sent.
  [[nodiscard]] std::vector<Outbox> drop() {
    auto result
        = under_way_ ? std::move(under_way_->outboxes) : std::vector<Outbox>{};
    for (auto& x : gathered_.outboxes)
      result.push_back(std::move(x));
    under_way_.reset();
    gathered_ = {};
    return result;
  }

  /// Whether what is said now would have to wait for a commit.
  [[nodiscard]] bool has_pending() const noexcept {
    return under_way_ || !gathered_.changes.empty();
  }

  /// Since when the first of what is not sent has waited: longer than its commit
  /// takes, if another one was under way when it came.
  /// @pre a commit is under way
  [[nodiscard]] Instant waiting_since() const {
    assert(under_way_);
    return under_way_since_;
  }

private:
  struct Gathered {
    Changes changes;
    std::vector<Outbox> outboxes;

    /// Of the first of them.
    std::optional<Instant> since;
  };

  std::optional<Committed> under_way_;
  Instant under_way_since_;
  Gathered gathered_;
};

} // namespace stoker
