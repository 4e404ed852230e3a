#include "scheduling/placement/pool.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace stoker {

namespace {

/// With more workers changed than this, all are asked instead of each.
constexpr std::size_t few = 16;

std::uint32_t number(WorkerKey key) {
  return static_cast<std::uint32_t>(key);
}

} // namespace

void Pool::set_free(WorkerKey key, const WorkerId& id,
                    std::optional<ExecutorSize> free) {
  if (!free) {
    capacity_.erase(number(key));
    more_free_.erase(key);
    return;
  }
  auto before = capacity_.find(number(key));
  capacity_.set(number(key), id.value, *free);
  if (!before || !fits_in(*free, before->free))
    more_free_.insert(key);
}

int Pool::slots(ExecutorSize size, int enough) const {
  std::int64_t result = 0;
  for (auto x = capacity_.first(size); x && result < enough;
       x = capacity_.next(*x, size))
    result += slots_in(x->free, size);
  return static_cast<int>(std::min<std::int64_t>(result, enough));
}

void Pool::set_wanted(QueuePosition app, std::optional<ExecutorSize> size,
                      int at_once) {
  if (size) {
    waiting_.set(app, *size, at_once);
    more_wanted_.insert(app);
  } else {
    waiting_.erase(app);
    more_wanted_.erase(app);
  }
}

std::optional<QueuePosition> Pool::next_to_help(QueuePosition from) const {
  if (capacity_.empty())
    return std::nullopt;
  std::optional<QueuePosition> result;
  if (auto i = more_wanted_.lower_bound(from); i != more_wanted_.end())
    result = *i;
  ExecutorSize largest{0, 0};
  if (more_free_.size() > few) {
    largest = {std::numeric_limits<int>::max(),
               std::numeric_limits<std::int64_t>::max()};
  } else {
    for (auto key : more_free_) {
      auto free = capacity_.find(number(key))->free;
      largest = {std::max(largest.cores, free.cores),
                 std::max(largest.memory_mb, free.memory_mb)};
    }
  }
  auto any_fits = [this](const ExecutorSize& size) {
    if (more_free_.size() > few)
      return capacity_.fits(size);
    return std::any_of(more_free_.begin(), more_free_.end(), [&](auto key) {
      return fits_in(size, capacity_.find(number(key))->free);
    });
  };
  auto helped = waiting_.first(
      from, largest, [&](const ExecutorSize& size, int at_once) {
        return any_fits(size)
               && (at_once == 1 || slots(size, at_once) == at_once);
      });
  if (helped && (!result || *helped < *result))
    result = helped;
  return result;
}

} // namespace stoker
