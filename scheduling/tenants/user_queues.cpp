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

UserQueues::Rank UserQueues::rank(ProgramKey key,
                                  const QueuedProgram& program) const {
  return {!program.with_driver,
          rules_.priorities ? negated(program.priority) : 0,
          rules_.sql_first && !program.sql, program.submitted, key};
}

bool UserQueues::add(ProgramKey key, const QueuedProgram& program) {
  auto is_new = programs_.emplace(key, program).second;
  assert(is_new);
  (void)is_new;
  auto& queue = queues_[program.user];
  auto place = queue.order.insert(rank(key, program)).first;
  if (place != queue.order.begin())
    return false;
  refresh_next(queue);
  return true;
}

QueuedProgram UserQueues::take(ProgramKey key) {
  auto i = programs_.find(key);
  assert(i != programs_.end());
  auto result = i->second;
  programs_.erase(i);
  auto& queue = queues_[result.user];
  queue.order.erase(rank(key, result));
  refresh_next(queue);
  return result;
}

std::unordered_map<ProgramKey, QueuedProgram> UserQueues::take_all() {
  auto queues = std::exchange(queues_, {});
  auto result = std::exchange(programs_, {});
  for (const auto& x : queues)
    if (x.next)
      result.at(x.next->key).passed_over = x.next->passed_over;
  return result;
}

void UserQueues::refresh_next(Queue& queue) {
  if (queue.order.empty()) {
    queue.next.reset();
    return;
  }
  auto first = queue.order.begin()->key;
  if (queue.next && queue.next->key == first)
    return;
  if (queue.next) {
    // Another came before it: it keeps its count.
    auto previous = programs_.find(queue.next->key);
    if (previous != programs_.end())
      previous->second.passed_over = queue.next->passed_over;
  }
  const auto& program = programs_.at(first);
  queue.next = {first,
                program.request,
                program.passed_over,
                program.needed(),
                program.with_driver,
                program.room};
}

void UserQueues::set_request(ProgramKey key, Resources request) {
  auto& program = programs_.at(key);
  program.request = request;
  auto& next = queues_[program.user].next;
  if (next->key == key) {
    next->request = request;
    next->needed = program.needed();
  }
}

void UserQueues::set_least(ProgramKey key, std::optional<Resources> least,
                           bool elastic) {
  auto& program = programs_.at(key);
  program.least = least;
  program.elastic = elastic;
  if (auto& next = queues_[program.user].next; next->key == key)
    next->needed = program.needed();
}

std::int32_t UserQueues::pass_over(UserNumber user, std::int32_t most) {
  auto& next = queues_[user].next;
  next->passed_over = std::min(next->passed_over + 1, most);
  return next->passed_over;
}

const QueuedProgram* UserQueues::find(ProgramKey key) const {
  auto i = programs_.find(key);
  return i == programs_.end() ? nullptr : &i->second;
}

std::int64_t UserQueues::position(ProgramKey key) const {
  const auto& program = programs_.at(key);
  const auto& order = queues_[program.user].order;
  return 1 + std::distance(order.begin(), order.find(rank(key, program)));
}

std::optional<std::string> UserQueues::invariant_violation() const {
  std::size_t places = 0;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const auto& queue = queues_[UserNumber{i}];
    places += queue.order.size();
    auto is_next = [&] {
      if (!queue.next || queue.order.empty())
        return !queue.next && queue.order.empty();
      const auto* program = find(queue.next->key);
      return queue.next->key == queue.order.begin()->key && program != nullptr
             && queue.next->request == program->request
             && queue.next->needed == program->needed();
    };
    if (!is_next())
      return "the next application of user " + std::to_string(i) + " is wrong";
  }
  for (const auto& [key, program] : programs_)
    if (!queues_[program.user].order.contains(rank(key, program)))
      return name_of(key) + " is not in its user's queue";
  if (places != programs_.size())
    return "a queue has a program that does not wait";
  return std::nullopt;
}

} // namespace stoker
