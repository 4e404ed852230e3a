#include "scheduling/tenants/user_queues.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>
#include <utility>

namespace stoker {

namespace {

std::int32_t negated(std::int32_t priority) {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
  return -std::max(priority, lowest + 1);
}

} // namespace

UserQueues::Rank UserQueues::rank(AppKey key, const QueuedApp& app) const {
  return {rules_.priorities ? negated(app.priority) : 0,
          rules_.sql_first && !app.sql, key};
}

bool UserQueues::add(AppKey key, const QueuedApp& app) {
  auto is_new = apps_.emplace(key, app).second;
  assert(is_new);
  (void)is_new;
  auto& queue = queues_[app.user];
  auto place = queue.order.insert(rank(key, app)).first;
  if (place != queue.order.begin())
    return false;
  refresh_next(queue);
  return true;
}

QueuedApp UserQueues::take(AppKey key) {
  auto i = apps_.find(key);
  assert(i != apps_.end());
  auto result = i->second;
  apps_.erase(i);
  auto& queue = queues_[result.user];
  queue.order.erase(rank(key, result));
  refresh_next(queue);
  return result;
}

std::unordered_map<AppKey, QueuedApp> UserQueues::take_all() {
  auto queues = std::exchange(queues_, {});
  auto result = std::exchange(apps_, {});
  for (const auto& x : queues)
    if (x.next)
      result.at(x.next->app).passed_over = x.next->passed_over;
  return result;
}

void UserQueues::refresh_next(Queue& queue) {
  if (queue.order.empty()) {
    queue.next.reset();
    return;
  }
  auto first = queue.order.begin()->app;
  if (queue.next && queue.next->app == first)
    return;
  if (queue.next) {
    // Another came before it: it keeps its count.
    auto previous = apps_.find(queue.next->app);
    if (previous != apps_.end())
      previous->second.passed_over = queue.next->passed_over;
  }
  const auto& app = apps_.at(first);
  queue.next = {first, app.request, app.passed_over};
}

void UserQueues::set_request(AppKey key, Resources request) {
  auto& app = apps_.at(key);
  app.request = request;
  auto& next = queues_[app.user].next;
  if (next->app == key)
    next->request = request;
}

std::int32_t UserQueues::pass_over(UserNumber user, std::int32_t most) {
  auto& next = queues_[user].next;
  next->passed_over = std::min(next->passed_over + 1, most);
  return next->passed_over;
}

const QueuedApp* UserQueues::find(AppKey key) const {
  auto i = apps_.find(key);
  return i == apps_.end() ? nullptr : &i->second;
}

std::int64_t UserQueues::position(AppKey key) const {
  const auto& app = apps_.at(key);
  const auto& order = queues_[app.user].order;
  return 1 + std::distance(order.begin(), order.find(rank(key, app)));
}

std::optional<std::string> UserQueues::invariant_violation() const {
  std::size_t places = 0;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const auto& queue = queues_[UserNumber{i}];
    places += queue.order.size();
    auto is_next = [&] {
      if (!queue.next || queue.order.empty())
        return !queue.next && queue.order.empty();
      const auto* app = find(queue.next->app);
      return queue.next->app == queue.order.begin()->app && app != nullptr
             && queue.next->request == app->request;
    };
    if (!is_next())
      return "the next application of user " + std::to_string(i) + " is wrong";
  }
  for (const auto& [key, app] : apps_)
    if (!queues_[app.user].order.contains(rank(key, app)))
      return "application " + std::to_string(static_cast<std::uint32_t>(key))
             + " is not in its user's queue";
  if (places != apps_.size())
    return "a queue has an application that does not wait";
  return std::nullopt;
}

} // namespace stoker
