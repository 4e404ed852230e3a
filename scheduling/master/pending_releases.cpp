#include "scheduling/master/pending_releases.hpp"

#include <cassert>
#include <utility>

namespace stoker {

void PendingReleases::add(PendingRelease release) {
  assert(release.stored.ending);
  ExecutorId id{release.stored.app_id, release.stored.exec_id};
  auto added = releases_.emplace(std::move(id), std::move(release)).second;
  assert(added);
  static_cast<void>(added);
}

std::optional<PendingRelease> PendingReleases::take(const ExecutorId& id) {
  auto node = releases_.extract(id);
  if (node.empty())
    return std::nullopt;
  return std::move(node.mapped());
}

bool PendingReleases::has_any_of(const AppId& app) const {
  auto i = releases_.lower_bound({app, 0});
  return i != releases_.end() && i->first.app_id == app;
}

std::vector<const PendingRelease*> PendingReleases::of(const AppId& app) const {
  std::vector<const PendingRelease*> result;
  for (auto i = releases_.lower_bound({app, 0});
       i != releases_.end() && i->first.app_id == app; ++i)
    result.push_back(&i->second);
  return result;
}

} // namespace stoker
