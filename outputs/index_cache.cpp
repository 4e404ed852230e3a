#include "outputs/index_cache.hpp"

#include <cstdint>
#include <iterator>
#include <limits>

#include "outputs/output_names.hpp"

namespace stoker {

namespace {

/// Of an index, with what remembers it.
std::size_t memory_of(const OutputIndex& x) {
  constexpr std::size_t beside = 300;
  return beside + x.partitions.size() * sizeof(PartitionEntry);
}

} // namespace

Result<std::shared_ptr<const OutputIndex>>
IndexCache::get(const AppId& app, const std::filesystem::path& directory,
                const TaskAttempt& attempt) {
  Key key{app, attempt};
  {
    std::lock_guard lock{mutex_};
    if (auto found = places_.find(key); found != places_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return kept_.front().second;
    }
  }
  auto read = read_index(directory / index_file_name(attempt), attempt);
  if (!read)
    return std::move(read).error();
  auto result = std::make_shared<const OutputIndex>(*std::move(read));
  std::lock_guard lock{mutex_};
  if (places_.contains(key))
    return result;
  kept_.emplace_front(key, result);
  places_[key] = kept_.begin();
  bytes_ += memory_of(*result);
  while (bytes_ > bytes_max_ && !kept_.empty()) {
    auto last = places_.find(kept_.back().first);
    erase(last, std::next(last));
  }
  return result;
}

void IndexCache::erase(std::map<Key, Place>::iterator first,
                       std::map<Key, Place>::iterator last) {
  for (auto i = first; i != last; ++i) {
    bytes_ -= memory_of(*i->second->second);
    kept_.erase(i->second);
  }
  places_.erase(first, last);
}

void IndexCache::forget(const AppId& app) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  std::lock_guard lock{mutex_};
  erase(places_.lower_bound({app, {StageId{least}, least, least}}),
        places_.upper_bound({app, {StageId{most}, most, most}}));
}

void IndexCache::forget(const AppId& app, StageId stage) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  std::lock_guard lock{mutex_};
  erase(places_.lower_bound({app, {stage, least, least}}),
        places_.upper_bound({app, {stage, most, most}}));
}

std::size_t IndexCache::bytes() const {
  std::lock_guard lock{mutex_};
  return bytes_;
}

} // namespace stoker
