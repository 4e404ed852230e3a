#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "messages/resources.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// An application that waits in its user's queue. There may be millions.
struct QueuedApp {
  Resources request;
  UserNumber user{};
  std::int32_t priority = 0;

  /// How often others of the company went before it because it did not fit
  /// under the company's cap. See `NextApp`, which counts while this is the
  /// first of its queue.
  std::int32_t passed_over = 0;
  bool sql = false;

  /// It begins with nothing, and grows. See `TenantTree::Entry`.
  bool elastic = false;
};

/// The first of a user's queue. What choices look at is here, so that they need
/// not search among all applications.
struct NextApp {
  AppKey app{};
  Resources request;
  std::int32_t passed_over = 0;

  friend bool operator==(const NextApp&, const NextApp&) = default;
};

/// The order of a user's applications, besides that of arrival.
struct QueueRules {
  /// Higher priority comes first, before all else.
  bool priorities = false;

  /// Those that query with SQL come before the others.
  bool sql_first = false;
};

/// The applications that wait, in one queue for each user.
///
/// Invariant: each application stands in its user's queue, once, at the place
/// that the rules give it; `next` is the first of the queue as it is now.
class UserQueues {
public:
  explicit UserQueues(QueueRules rules) : rules_(rules) {
  }

  /// Returns whether it is the first of its queue. @pre the key is new
  bool add(AppKey key, const QueuedApp& app);

  /// Takes an application out. @pre it is queued
  QueuedApp take(AppKey key);

  /// Takes out all applications, in no order.
  std::unordered_map<AppKey, QueuedApp> take_all();

  /// @pre the application is queued
  void set_request(AppKey key, Resources request);

  /// Counts that another went before the first of this user's queue, up to
  /// `most`. Returns the count. @pre the queue is not empty
  std::int32_t pass_over(UserNumber user, std::int32_t most);

  /// Null: not queued.
  [[nodiscard]] const QueuedApp* find(AppKey key) const;

  /// The first of a user's queue; nothing: the queue is empty.
  [[nodiscard]] const std::optional<NextApp>& next(UserNumber user) const {
    return queues_[user].next;
  }

  /// 1 is the first. Looks at those before it. @pre the application is queued
  [[nodiscard]] std::int64_t position(AppKey key) const;

  [[nodiscard]] const std::unordered_map<AppKey, QueuedApp>&
  apps() const noexcept {
    return apps_;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  struct Rank {
    std::int32_t priority_negated = 0;
    bool behind_sql = false;
    AppKey app{};

    friend auto operator<=>(const Rank&, const Rank&) = default;
  };

  struct Queue {
    std::set<Rank> order;
    std::optional<NextApp> next;
  };

  [[nodiscard]] Rank rank(AppKey key, const QueuedApp& app) const;

  /// Brings `next` up to date with the order.
  void refresh_next(Queue& queue);

  QueueRules rules_;
  std::unordered_map<AppKey, QueuedApp> apps_;
  ByNumber<UserNumber, Queue> queues_;
};

} // namespace stoker
