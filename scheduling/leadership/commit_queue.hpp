#pragma once

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "scheduling/master/stored.hpp"

namespace stoker {

/// Holds back what a leader says until all that it presumes is committed: step,
/// commit, then speak. Whatever steps gather while one commit is under way is
/// the next commit, so that many steps share one.
///
///     push ---> gathered --begin--> under way --committed--> said
///       \ nothing to commit, nothing under way ------------> said
template <class Speech>
class CommitQueue {
public:
  /// Takes what a step changes of what is stored, and what it says. Returns
  /// what may be said now.
  [[nodiscard]] std::vector<Speech> push(Changes changes, Speech speech) {
    std::vector<Speech> result;
    if (changes.empty() && !under_way_ && gathered_.changes.empty()) {
      result.push_back(std::move(speech));
      return result;
    }
    gathered_.changes.insert(gathered_.changes.end(),
                             std::make_move_iterator(changes.begin()),
                             std::make_move_iterator(changes.end()));
    gathered_.speeches.push_back(std::move(speech));
    return result;
  }

  /// What to commit next. Nothing while a commit is under way, or when there is
  /// nothing to commit.
  [[nodiscard]] std::optional<Changes> begin() {
    if (under_way_ || gathered_.changes.empty())
      return std::nullopt;
    under_way_ = std::exchange(gathered_, {});
    return std::move(under_way_->changes);
  }

  /// The commit is done. Returns what may be said now, in order.
  /// @pre one is under way
  [[nodiscard]] std::vector<Speech> committed() {
    auto result = std::move(under_way_->speeches);
    under_way_.reset();
    if (gathered_.changes.empty())
      for (auto& x : std::exchange(gathered_.speeches, {}))
        result.push_back(std::move(x));
    return result;
  }

  /// Nothing more will be committed. Returns what was not said.
  [[nodiscard]] std::vector<Speech> drop() {
    auto result
        = under_way_ ? std::move(under_way_->speeches) : std::vector<Speech>{};
    for (auto& x : gathered_.speeches)
      result.push_back(std::move(x));
    under_way_.reset();
    gathered_ = {};
    return result;
  }

  /// Whether something waits for a commit.
  [[nodiscard]] bool waits() const noexcept {
    return under_way_ || !gathered_.speeches.empty();
  }

private:
  struct Batch {
    Changes changes;
    std::vector<Speech> speeches;
  };

  std::optional<Batch> under_way_;
  Batch gathered_;
};

} // namespace stoker
