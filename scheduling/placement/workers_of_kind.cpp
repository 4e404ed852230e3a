#include "scheduling/placement/workers_of_kind.hpp"

#include <cstdint>
#include <utility>

namespace stoker {

namespace {

std::uint32_t index_of(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}

/// How many of a named resource a worker has, free or not.
int count_of(const WorkerAccount& x, const std::string& name) {
  return x.named.times_in_all({{name, 1}});
}

} // namespace

// -- workers ------------------------------------------------------------------

void WorkersOfKind::set_free(WorkerKey key, const WorkerAccount& account) {
  auto free = account.gives() ? std::optional{account.free()} : std::nullopt;
  all_.set_free(key, account.id, free);
  for (const auto& [name, any_free] : account.named.names())
    pool_of(name).set_free(key, account.id, any_free ? free : std::nullopt);
  if (!census_)
    return;
  if (account.state == WorkerState::ALIVE)
    census_->set(index_of(key), account.free().cores, account.free().memory_mb);
  else
    census_->erase(index_of(key));
}

bool WorkersOfKind::set_total(WorkerKey key, const WorkerAccount& account) {
  auto number = index_of(key);
  if (account.takes_part() == totals_.find(number).has_value())
    return false;
  auto change = [&](CapacityIndex& totals) {
    if (account.takes_part())
      totals.set(number, account.id.value, account.total);
    else
      totals.erase(number);
  };
  change(totals_);
  for (const auto& [name, any_free] : account.named.names())
    change(totals_with_[name][count_of(account, name)]);
  return true;
}

void WorkersOfKind::erase(WorkerKey key, const WorkerAccount& account) {
  auto gone = account;
  gone.state = WorkerState::DEAD;
  set_free(key, gone);
  set_total(key, gone);
}

// -- who wants it -------------------------------------------------------------

Pool& WorkersOfKind::pool(const ResourceAmounts& named) {
  return named.empty() ? all_ : pool_of(named.begin()->first);
}

Pool& WorkersOfKind::pool_of(const std::string& resource) {
  return by_resource_.try_emplace(resource, policy_).first->second;
}

std::optional<QueuePosition>
WorkersOfKind::next_to_help(QueuePosition from) const {
  auto result = all_.next_to_help(from);
  for (const auto& [name, pool] : by_resource_)
    if (auto other = pool.next_to_help(from);
        other && (!result || *other < *result))
      result = other;
  return result;
}

void WorkersOfKind::end_pass() {
  all_.end_pass();
  for (auto& [name, pool] : by_resource_)
    pool.end_pass();
}

// -- queries ------------------------------------------------------------------

const Pool* WorkersOfKind::find_pool(const ResourceAmounts& named) const {
  if (named.empty())
    return &all_;
  auto i = by_resource_.find(named.begin()->first);
  return i == by_resource_.end() ? nullptr : &i->second;
}

const std::map<int, CapacityIndex>&
WorkersOfKind::totals_with(const std::string& resource) const {
  static const std::map<int, CapacityIndex> none;
  auto i = totals_with_.find(resource);
  return i == totals_with_.end() ? none : i->second;
}

std::optional<std::string>
WorkersOfKind::invariant_violation(WorkerKey key,
                                   const WorkerAccount& account) const {
  auto number = index_of(key);
  auto entry = all_.capacity().find(number);
  if (entry.has_value() != account.gives()
      || (entry && entry->free != account.free()))
    return to_string(account.id) + " is wrong in the index of what is free";
  auto total = totals_.find(number);
  if (total.has_value() != account.takes_part()
      || (total && total->free != account.total))
    return to_string(account.id) + " is wrong in the index of totals";
  for (const auto& [name, any_free] : account.named.names()) {
    auto known = decltype(total)();
    const auto& with = totals_with(name);
    if (auto i = with.find(count_of(account, name)); i != with.end())
      known = i->second.find(number);
    if (known != total)
      return to_string(account.id) + " is wrong in the totals of " + name;
  }
  return std::nullopt;
}

} // namespace stoker
