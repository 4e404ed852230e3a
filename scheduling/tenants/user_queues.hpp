#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "messages/resources.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// An application or driver that waits in its user's queue. There may be millions.
struct QueuedProgram {
  Resources request;
  UserNumber user{};
  std::int32_t priority = 0;

  /// How often others of the company went before it because it did not fit
  /// under the company's cap. See `NextProgram`, which counts while this is the
  /// first of its queue.
  std::int32_t passed_over = 0;
  bool sql = false;

  // See `TenantTree::Entry`.
  bool elastic = false;
  Instant submitted;
  std::optional<Resources> least;
  bool with_driver = false;
  Resources driver;
  Resources room;

  /// What it cannot be admitted without.
  [[nodiscard]] Resources needed() const noexcept {
    return least ? smaller(*least, request) : request;
  }
};

/// The first of a user's queue. What choices look at is here, so that they need
/// not search among all applications.
struct NextProgram {
  ProgramKey key{};
  Resources request;
  std::int32_t passed_over = 0;
  Resources needed;
  bool with_driver = false;
  Resources room;

  friend bool operator==(const NextProgram&, const NextProgram&) = default;
};

/// The order of a user's applications and drivers, besides that of submission.
struct QueueRules {
  /// Higher priority comes first, before all else.
  bool priorities = false;

  /// Those that query with SQL come before the others.
  bool sql_first = false;
};

/// The applications and drivers that wait, in one queue for each user.
///
/// Invariant: each of them stands in its user's queue, once, at the place
/// that the rules give it; `next` is the first of the queue as it is now.
class UserQueues {
public:
  explicit UserQueues(QueueRules rules) : rules_(rules) {
  }

  /// Returns whether it is the first of its queue. @pre the key is new
  bool add(ProgramKey key, const QueuedProgram& program);

  /// Takes an application out. @pre it is queued
  QueuedProgram take(ProgramKey key);

  /// Takes out all applications, in no order.
  std::unordered_map<ProgramKey, QueuedProgram> take_all();

  /// @pre the application is queued
  void set_request(ProgramKey key, Resources request);

  /// @pre the application is queued
  void set_least(ProgramKey key, std::optional<Resources> least, bool elastic);

  /// Counts that another went before the first of this user's queue, up to
  /// `most`. Returns the count. @pre the queue is not empty
  std::int32_t pass_over(UserNumber user, std::int32_t most);

  /// Null: not queued.
  [[nodiscard]] const QueuedProgram* find(ProgramKey key) const;

  /// The first of a user's queue; nothing: the queue is empty.
  [[nodiscard]] const std::optional<NextProgram>& next(UserNumber user) const {
    return queues_[user].next;
  }

  /// 1 is the first. Looks at those before it. @pre the application is queued
  [[nodiscard]] std::int64_t position(ProgramKey key) const;

  [[nodiscard]] const std::unordered_map<ProgramKey, QueuedProgram>&
  programs() const noexcept {
    return programs_;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct Rank {
    /// What has a driver comes first: the driver runs, and counts, until that is done.
    bool without_driver = true;
    std::int32_t priority_negated = 0;
    bool behind_sql = false;
    Instant submitted;
    ProgramKey key{};

    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  struct Queue {
    std::set<Rank> order;
    std::optional<NextProgram> next;
  };

  [[nodiscard]] Rank rank(ProgramKey key, const QueuedProgram& program) const;

  /// Brings `next` up to date with the order.
  void refresh_next(Queue& queue);

  QueueRules rules_;
  std::unordered_map<ProgramKey, QueuedProgram> programs_;
  ByNumber<UserNumber, Queue> queues_;
};

} // namespace stoker
