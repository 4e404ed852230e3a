#include "web/cluster_state.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "web/cluster_view.hpp"

namespace stoker {

namespace {

constexpr ListPart whole_list{0, std::numeric_limits<std::size_t>::max()};

/// What ended at once stays as it is.
template <class Iterator>
void in_order_of_end(Iterator begin, Iterator end) {
  std::stable_sort(begin, end, [](const auto& a, const auto& b) {
    return a.ended_ms < b.ended_ms;
  });
}

/// Leaves so many executors to applications as were asked for.
class ExecutorBudget {
public:
  explicit ExecutorBudget(std::optional<int> max)
      : left_(static_cast<std::size_t>(
          std::max(0, max.value_or(std::numeric_limits<int>::max())))) {
  }

  [[nodiscard]] bool is_spent() const {
    return left_ == 0;
  }

  /// Those that are there, then those that ended last.
  void take(ApplicationInfo& from) {
    auto& executors = from.executors;
    auto ended = std::stable_partition(
        executors.begin(), executors.end(),
        [](const ExecutorInfo& x) { return !x.ended_ms; });
    in_order_of_end(ended, executors.end());
    auto present = static_cast<std::size_t>(ended - executors.begin());
    if (executors.size() > left_ && present < left_)
      executors.erase(ended,
                      executors.end()
                          - static_cast<std::ptrdiff_t>(left_ - present));
    else if (executors.size() > left_)
      executors.resize(left_);
    left_ -= executors.size();
  }

private:
  std::size_t left_;
};

void add_executors(std::vector<ApplicationInfo>& to, const ClusterCopy& cluster,
                   ExecutorBudget& budget) {
  for (auto& x : to) {
    if (budget.is_spent())
      return;
    x.executors = application_of(cluster, x.id)->executors;
    budget.take(x);
  }
}

void add_applications(MasterStateResponse& to, const ClusterCopy& cluster,
                      const RequestMasterState& parts) {
  ExecutorBudget budget{parts.executors_max};
  if (parts.app_id) {
    auto found = application_of(cluster, *parts.app_id);
    if (!found)
      return;
    budget.take(*found);
    auto ended = has_ended(cluster.tables().applications().at(*parts.app_id));
    (ended ? to.completed_apps : to.active_apps).push_back(*std::move(found));
    return;
  }
  to.active_apps = active_applications(cluster, whole_list);
  to.completed_apps = ended_applications(cluster, whole_list);
  add_executors(to.active_apps, cluster, budget);
  // The last ones are asked for most.
  add_executors(to.completed_apps, cluster, budget);
  std::ranges::reverse(to.completed_apps);
  in_order_of_end(to.completed_apps.begin(), to.completed_apps.end());
}

} // namespace

MasterStateResponse cluster_state(const ClusterCopy& cluster,
                                  const std::string& url,
                                  const RequestMasterState& parts) {
  MasterStateResponse result;
  result.master_url = url;
  result.status = cluster.observation()->status;
  if (result.status == RecoveryState::STANDBY)
    return result;
  if (parts.workers)
    result.workers = workers_of(cluster);
  if (parts.applications)
    add_applications(result, cluster, parts);
  if (parts.drivers) {
    result.active_drivers = active_drivers(cluster, whole_list);
    result.completed_drivers = ended_drivers(cluster, whole_list);
    auto& ended = result.completed_drivers;
    std::ranges::reverse(ended);
    in_order_of_end(ended.begin(), ended.end());
  }
  return result;
}

} // namespace stoker
