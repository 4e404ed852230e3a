#include "scheduling/placement/capacity.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

namespace {

std::uint32_t index_of(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}

Resources in_all(const WorkerAccount& x) {
  return {x.total.cores, x.total.memory_mb};
}

bool takes_part(const WorkerAccount& x) {
  return x.state == WorkerState::ALIVE || x.state == WorkerState::UNKNOWN;
}

bool gives(const WorkerAccount& x) {
  return x.state == WorkerState::ALIVE && !x.rests && x.free().cores > 0;
}

/// Executors that the workers of an index hold, where `times` says how often their
/// named resources suffice.
template <class Times>
int count_slots(const CapacityIndex& workers, const ExecutorShape& shape,
                int enough, Times times) {
  std::int64_t result = 0;
  for (auto x = workers.first(shape.size); x && result < enough;
       x = workers.next(*x, shape.size))
    result += std::min<std::int64_t>(
        shape.one_each ? 1 : slots_in(x->free, shape.size), times(*x));
  return static_cast<int>(std::min<std::int64_t>(result, enough));
}

/// How many of a named resource a worker has, free or not.
int count_of(const WorkerAccount& x, const std::string& name) {
  return x.named.times_in_all({{name, 1}});
}

} // namespace

Capacity::Capacity(WorkerSelectionPolicy policy)
    : policy_(policy), all_(policy) {
}

// -- workers ------------------------------------------------------------------

void Capacity::add(WorkerKey key, const WorkerId& id, ExecutorSize total,
                   const ResourceAddresses& named, WorkerState state) {
  auto [i, added] = accounts_.try_emplace(key);
  assert(added);
  auto& account = i->second;
  account.id = id;
  account.total = total;
  account.named = NamedResources{named};
  account.state = state;
  if (state == WorkerState::ALIVE)
    alive_ += in_all(account);
  index(key, account);
  index_total(key, account);
}

void Capacity::set_state(WorkerKey key, WorkerState state) {
  auto& account = accounts_.at(key);
  auto before = std::exchange(account.state, state);
  if (before == WorkerState::ALIVE && state != WorkerState::ALIVE)
    alive_ -= in_all(account);
  if (before != WorkerState::ALIVE && state == WorkerState::ALIVE)
    alive_ += in_all(account);
  index(key, account);
  index_total(key, account);
}

void Capacity::set_resting(WorkerKey key, bool rests) {
  auto& account = accounts_.at(key);
  account.rests = rests;
  index(key, account);
}

void Capacity::remove(WorkerKey key) {
  assert(accounts_.at(key).state == WorkerState::DEAD);
  accounts_.erase(key);
}

// -- the ledger ---------------------------------------------------------------

std::vector<ResourceAddresses> Capacity::take(WorkerKey key, ExecutorSize each,
                                              const ResourceAmounts& named,
                                              int count) {
  auto& account = accounts_.at(key);
  std::vector<ResourceAddresses> result(static_cast<std::size_t>(count));
  account.used.cores += each.cores * count;
  account.used.memory_mb += each.memory_mb * count;
  if (!named.empty())
    for (auto& addresses : result)
      addresses = account.named.take(named);
  assert(account.free().cores >= 0 && account.free().memory_mb >= 0);
  index(key, account);
  return result;
}

bool Capacity::take(WorkerKey key, const Allotment& what) {
  auto& account = accounts_.at(key);
  if (!fits_in(what.size, account.free())
      || !account.named.take(what.resources))
    return false;
  account.used.cores += what.size.cores;
  account.used.memory_mb += what.size.memory_mb;
  index(key, account);
  return true;
}

void Capacity::give_back(WorkerKey key, const Allotment& what) {
  auto& account = accounts_.at(key);
  account.used.cores -= what.size.cores;
  account.used.memory_mb -= what.size.memory_mb;
  account.named.give_back(what.resources);
  assert(account.used.cores >= 0 && account.used.memory_mb >= 0);
  index(key, account);
}

// -- who wants it -------------------------------------------------------------

void Capacity::set_wanted(QueuePosition app, const ResourceAmounts& named,
                          std::optional<ExecutorSize> size, int at_once) {
  pool_for(named).set_wanted(app, size, at_once);
}

bool Capacity::is_wanted(QueuePosition app,
                         const ResourceAmounts& named) const {
  const auto* pool = find_pool(named);
  return pool != nullptr && pool->waiting().contains(app);
}

std::optional<QueuePosition> Capacity::next_to_help(QueuePosition from) const {
  auto result = all_.next_to_help(from);
  for (const auto& [name, pool] : by_resource_)
    if (auto other = pool.next_to_help(from);
        other && (!result || *other < *result))
      result = other;
  return result;
}

void Capacity::end_pass() {
  all_.end_pass();
  for (auto& [name, pool] : by_resource_)
    pool.end_pass();
}

// -- queries ------------------------------------------------------------------

bool Capacity::has_room(WorkerKey key, ExecutorSize size,
                        const ResourceAmounts& named) const {
  const auto& x = account(key);
  return !x.rests && fits_in(size, x.free()) && x.named.times(named) > 0;
}

int Capacity::slots(const ExecutorShape& shape, int enough) const {
  return count_slots(
      free_with(shape.named), shape, enough,
      [&](const CapacityIndex::Entry& x) {
        return account(WorkerKey{x.number}).named.times(shape.named);
      });
}

int Capacity::slots_in_all(const ExecutorShape& shape, int enough) const {
  return count_slots(
      totals_, shape, enough, [&](const CapacityIndex::Entry& x) {
        return account(WorkerKey{x.number}).named.times_in_all(shape.named);
      });
}

FreeResources Capacity::free_for(WorkerKey key,
                                 const ResourceAmounts& named) const {
  const auto& x = account(key);
  auto free = x.free();
  return {free.cores, free.memory_mb, x.named.times(named)};
}

const CapacityIndex& Capacity::free_with(const ResourceAmounts& named) const {
  static const CapacityIndex nothing;
  const auto* pool = find_pool(named);
  return pool == nullptr ? nothing : pool->capacity();
}

bool Capacity::could_hold(ExecutorSize size,
                          const ResourceAmounts& named) const {
  if (named.empty())
    return totals_.fits(size);
  const auto& [name, amount] = *named.begin();
  auto with = totals_with_.find(name);
  if (with == totals_with_.end())
    return false;
  // The first worker found will do, unless other names are asked for as well.
  for (auto i = with->second.lower_bound(amount); i != with->second.end(); ++i)
    for (auto x = i->second.first(size); x; x = i->second.next(*x, size))
      if (account(WorkerKey{x->number}).named.times_in_all(named) > 0)
        return true;
  return false;
}

FreeCensus Capacity::census_with(const ResourceAmounts& named) const {
  FreeCensus result{census().smallest()};
  const auto& free = free_with(named);
  for (auto x = free.first({}); x; x = free.next(*x, {}))
    if (account(WorkerKey{x->number}).named.times(named) > 0)
      result.set(x->number, x->free.cores, x->free.memory_mb);
  return result;
}

void Capacity::keep_census(ExecutorSize smallest) {
  census_.emplace(smallest);
  for (const auto& [key, account] : accounts_)
    count(key, account);
}

// -- indexes ------------------------------------------------------------------

Pool& Capacity::pool(const std::string& resource) {
  return by_resource_.try_emplace(resource, policy_).first->second;
}

Pool& Capacity::pool_for(const ResourceAmounts& named) {
  return named.empty() ? all_ : pool(named.begin()->first);
}

const Pool* Capacity::find_pool(const ResourceAmounts& named) const {
  if (named.empty())
    return &all_;
  auto i = by_resource_.find(named.begin()->first);
  return i == by_resource_.end() ? nullptr : &i->second;
}

void Capacity::index(WorkerKey key, const WorkerAccount& account) {
  auto free = gives(account) ? std::optional{account.free()} : std::nullopt;
  all_.set_free(key, account.id, free);
  for (const auto& [name, any_free] : account.named.names())
    pool(name).set_free(key, account.id, any_free ? free : std::nullopt);
  if (census_)
    count(key, account);
}

void Capacity::index_total(WorkerKey key, const WorkerAccount& account) {
  auto number = index_of(key);
  if (takes_part(account) == totals_.find(number).has_value())
    return;
  ++workers_version_;
  auto change = [&](CapacityIndex& totals) {
    if (takes_part(account))
      totals.set(number, account.id.value, account.total);
    else
      totals.erase(number);
  };
  change(totals_);
  for (const auto& [name, any_free] : account.named.names())
    change(totals_with_[name][count_of(account, name)]);
}

void Capacity::count(WorkerKey key, const WorkerAccount& account) {
  if (account.state == WorkerState::ALIVE)
    census_->set(index_of(key), account.free().cores, account.free().memory_mb);
  else
    census_->erase(index_of(key));
}

std::optional<std::string> Capacity::invariant_violation() const {
  Resources alive;
  std::size_t giving = 0;
  for (const auto& [key, account] : accounts_) {
    auto name = to_string(account.id);
    auto free = account.free();
    if (account.used.cores < 0 || account.used.memory_mb < 0)
      return name + " has negative figures";
    if (free.cores < 0 || free.memory_mb < 0)
      return name + " gives more than it has";
    if (account.state == WorkerState::ALIVE)
      alive += in_all(account);
    auto entry = all_.capacity().find(index_of(key));
    if (entry.has_value() != gives(account) || (entry && entry->free != free))
      return name + " is wrong in the index of what is free";
    giving += entry ? 1 : 0;
  }
  for (const auto& [key, account] : accounts_) {
    auto total = totals_.find(index_of(key));
    if (total.has_value() != takes_part(account)
        || (total && total->free != account.total))
      return to_string(account.id) + " is wrong in the index of totals";
    for (const auto& [name, any_free] : account.named.names()) {
      auto known = decltype(total)();
      if (auto with = totals_with_.find(name); with != totals_with_.end())
        if (auto i = with->second.find(count_of(account, name));
            i != with->second.end())
          known = i->second.find(index_of(key));
      if (known != total)
        return to_string(account.id) + " is wrong in the totals of " + name;
    }
  }
  if (giving != all_.capacity().size())
    return "the index of what is free has stale entries";
  if (alive != alive_)
    return "the sum over all ALIVE workers is wrong";
  return std::nullopt;
}

} // namespace stoker
