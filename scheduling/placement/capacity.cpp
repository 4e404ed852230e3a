#include "scheduling/placement/capacity.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace stoker {

namespace {

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

} // namespace

Capacity::Capacity(WorkerSelectionPolicy policy)
    : of_others_(policy), of_none_(policy) {
}

// -- workers ------------------------------------------------------------------

void Capacity::add(WorkerKey key, const WorkerId& id, ExecutorSize total,
                   const ResourceAddresses& named, const ProgramKinds& kinds,
                   WorkerState state) {
  auto [i, added] = accounts_.try_emplace(key);
  assert(added);
  auto& account = i->second;
  account.id = id;
  account.total = total;
  account.named = NamedResources{named};
  account.kinds = kinds;
  account.state = state;
  if (state == WorkerState::ALIVE)
    alive_ += account.in_all();
  index(key, account);
  index_total(key, account);
}

void Capacity::set_state(WorkerKey key, WorkerState state) {
  auto& account = accounts_.at(key);
  auto before = std::exchange(account.state, state);
  if (before == WorkerState::ALIVE && state != WorkerState::ALIVE)
    alive_ -= account.in_all();
  if (before != WorkerState::ALIVE && state == WorkerState::ALIVE)
    alive_ += account.in_all();
  index(key, account);
  index_total(key, account);
}

void Capacity::set_kinds(WorkerKey key, const ProgramKinds& kinds) {
  auto& account = accounts_.at(key);
  if (kinds == account.kinds)
    return;
  for (const auto& kind : std::exchange(account.kinds, kinds))
    of(kind).erase(key, account);
  ++workers_version_;
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
                                              const Requirements& needs,
                                              int count) {
  auto& account = accounts_.at(key);
  std::vector<ResourceAddresses> result(static_cast<std::size_t>(count));
  account.used.cores += each.cores * count;
  account.used.memory_mb += each.memory_mb * count;
  if (!needs.named.empty())
    for (auto& addresses : result)
      addresses = account.named.take(needs.named);
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

void Capacity::set_wanted(QueuePosition app, const Requirements& needs,
                          std::optional<ExecutorSize> size, int at_once) {
  of(needs.kind).pool(needs.named).set_wanted(app, size, at_once);
}

bool Capacity::is_wanted(QueuePosition app, const Requirements& needs) const {
  const auto* pool = of(needs.kind).find_pool(needs.named);
  return pool != nullptr && pool->waiting().contains(app);
}

std::optional<QueuePosition> Capacity::next_to_help(QueuePosition from) const {
  auto result = of_others_.next_to_help(from);
  for (const auto& [release, workers] : of_spark_)
    if (auto other = workers.next_to_help(from);
        other && (!result || *other < *result))
      result = other;
  return result;
}

void Capacity::end_pass() {
  of_others_.end_pass();
  for (auto& [release, workers] : of_spark_)
    workers.end_pass();
}

// -- queries ------------------------------------------------------------------

bool Capacity::has_room(WorkerKey key, ExecutorSize size,
                        const Requirements& needs) const {
  const auto& x = account(key);
  return !x.rests && fits_in(size, x.free()) && x.kinds.contains(needs.kind)
         && x.named.times(needs.named) > 0;
}

int Capacity::slots(const ExecutorShape& shape, int enough) const {
  return count_slots(
      free_with(shape.needs), shape, enough,
      [&](const CapacityIndex::Entry& x) {
        return account(WorkerKey{x.number}).named.times(shape.needs.named);
      });
}

int Capacity::slots_in_all(const ExecutorShape& shape, int enough) const {
  return count_slots(totals(shape.needs.kind), shape, enough,
                     [&](const CapacityIndex::Entry& x) {
                       return account(WorkerKey{x.number})
                           .named.times_in_all(shape.needs.named);
                     });
}

FreeResources Capacity::free_for(WorkerKey key,
                                 const Requirements& needs) const {
  const auto& x = account(key);
  auto free = x.free();
  return {free.cores, free.memory_mb, x.named.times(needs.named)};
}

const CapacityIndex& Capacity::free_with(const Requirements& needs) const {
  static const CapacityIndex nothing;
  const auto* pool = of(needs.kind).find_pool(needs.named);
  return pool == nullptr ? nothing : pool->capacity();
}

std::vector<WorkerKey> Capacity::giving() const {
  std::vector<WorkerKey> result;
  const auto& others = free_with({});
  for (auto x = others.first({}); x; x = others.next(*x, {}))
    result.push_back(WorkerKey{x->number});
  std::set<WorkerKey> only_spark;
  for (const auto& [release, workers] : of_spark_) {
    const auto& free = workers.find_pool({})->capacity();
    for (auto x = free.first({}); x; x = free.next(*x, {}))
      if (WorkerKey key{x->number}; !account(key).kinds.contains(ProgramKind{})
                                    && only_spark.insert(key).second)
        result.push_back(key);
  }
  return result;
}

bool Capacity::has_workers() const noexcept {
  return !of_others_.totals().empty()
         || std::any_of(of_spark_.begin(), of_spark_.end(), [](const auto& x) {
              return !x.second.totals().empty();
            });
}

bool Capacity::could_hold(ExecutorSize size, const Requirements& needs) const {
  if (needs.named.empty())
    return totals(needs.kind).fits(size);
  const auto& [name, amount] = *needs.named.begin();
  const auto& with = of(needs.kind).totals_with(name);
  // The first worker found will do, unless other names are asked for as well.
  for (auto i = with.lower_bound(amount); i != with.end(); ++i)
    for (auto x = i->second.first(size); x; x = i->second.next(*x, size))
      if (account(WorkerKey{x->number}).named.times_in_all(needs.named) > 0)
        return true;
  return false;
}

FreeCensus Capacity::census_with(const Requirements& needs) const {
  FreeCensus result{census({}).smallest()};
  const auto& free = free_with(needs);
  for (auto x = free.first({}); x; x = free.next(*x, {}))
    if (account(WorkerKey{x->number}).named.times(needs.named) > 0)
      result.set(x->number, x->free.cores, x->free.memory_mb);
  return result;
}

void Capacity::keep_census(ExecutorSize smallest) {
  of_others_.keep_census(smallest);
  of_none_.keep_census(smallest);
  for (auto& [release, workers] : of_spark_)
    workers.keep_census(smallest);
  for (const auto& [key, account] : accounts_)
    index(key, account);
}

// -- indexes ------------------------------------------------------------------

WorkersOfKind& Capacity::of(const ProgramKind& kind) {
  if (!kind)
    return of_others_;
  // It counts what is free if the others do.
  return of_spark_.try_emplace(*kind, of_none_).first->second;
}

const WorkersOfKind& Capacity::of(const ProgramKind& kind) const noexcept {
  if (!kind)
    return of_others_;
  auto i = of_spark_.find(*kind);
  return i == of_spark_.end() ? of_none_ : i->second;
}

void Capacity::index(WorkerKey key, const WorkerAccount& account) {
  for (const auto& kind : account.kinds)
    of(kind).set_free(key, account);
}

void Capacity::index_total(WorkerKey key, const WorkerAccount& account) {
  auto changed = false;
  for (const auto& kind : account.kinds)
    changed = of(kind).set_total(key, account) || changed;
  workers_version_ += changed ? 1 : 0;
}

std::optional<std::string> Capacity::invariant_violation() const {
  Resources alive;
  std::map<ProgramKind, std::size_t> giving;
  for (const auto& [key, account] : accounts_) {
    auto name = to_string(account.id);
    auto free = account.free();
    if (account.used.cores < 0 || account.used.memory_mb < 0)
      return name + " has negative figures";
    if (free.cores < 0 || free.memory_mb < 0)
      return name + " gives more than it has";
    if (account.state == WorkerState::ALIVE)
      alive += account.in_all();
    for (const auto& kind : account.kinds) {
      if (auto problem = of(kind).invariant_violation(key, account))
        return problem;
      giving[kind] += account.gives() ? 1 : 0;
    }
  }
  auto has_stale = [&](const ProgramKind& kind) {
    return giving[kind] != of(kind).find_pool({})->capacity().size();
  };
  if (has_stale({})
      || std::any_of(of_spark_.begin(), of_spark_.end(),
                     [&](const auto& x) { return has_stale(x.first); }))
    return "the index of what is free has stale entries";
  if (alive != alive_)
    return "the sum over all ALIVE workers is wrong";
  return std::nullopt;
}

} // namespace stoker
