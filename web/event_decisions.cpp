#include "web/event_decisions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "scheduling/common/format.hpp"

namespace stoker {

namespace {

std::string amount(std::int64_t cores, std::int64_t memory_mb) {
  return format_cores(cores) + " and " + format_memory(memory_mb);
}

std::string others_first(std::size_t count) {
  return "It waits for the end of "
         + format_count(static_cast<std::int64_t>(count), "other") + '.';
}

class Decision {
public:
  explicit Decision(const ClusterCopy& before) : before_(before) {
  }

  std::string operator()(const StoredWorker& x) const {
    if (x.state == WorkerState::DECOMMISSIONED)
      return "Nothing more starts there; " + programs_on(x.id) + " may end.";
    const auto& counts = before_.index().applications_in();
    auto waiting = counts.find(ApplicationState::WAITING);
    if (waiting == counts.end())
      return "No application waits for it.";
    return format_count(waiting->second, "application")
           + (waiting->second == 1 ? " waits for room." : " wait for room.");
  }

  std::string operator()(const EraseWorker& x) const {
    return programs_on(x.id) + " ended with it.";
  }

  std::string operator()(const StoredApplication& x) const {
    if (is_finished(x.state))
      return why_ended(x) + what_it_leaves(x.id) + who_is_next(x);
    if (!x.waits_for.empty())
      return others_first(x.waits_for.size());
    auto wanted = wanted_by(x) + '.';
    return x.turn ? "It is admitted, and " + wanted
                  : "It waits in the queue of " + x.description.user + ", and "
                        + wanted;
  }

  std::string operator()(const StoredExecutor& x) const {
    if (x.ended)
      return amount(x.cores, x.memory_mb) + " of " + x.worker_id.value
             + (x.ending ? " are free as soon as it is gone." : " are free.");
    return room_on(x.worker_id) + ' ' + before_of(x);
  }

  std::string operator()(const StoredDriver& x) const {
    if (x.ended || x.relaunched_as)
      return x.worker_id ? amount(x.description.cores, x.description.memory_mb)
                               + " of " + x.worker_id->value + " are free."
                         : std::string{};
    if (!x.waits_for.empty())
      return others_first(x.waits_for.size());
    if (!x.worker_id)
      return "It waits for "
             + amount(x.description.cores, x.description.memory_mb) + '.';
    const auto& drivers = before_.tables().drivers();
    if (auto known = drivers.find(x.id);
        known != drivers.end() && known->second.worker_id == x.worker_id)
      return "It keeps its place on " + x.worker_id->value + ": restart "
             + std::to_string(x.restarts)
             + (x.description.max_restarts
                    ? " of at most "
                          + std::to_string(*x.description.max_restarts)
                    : "")
             + '.';
    return room_on(*x.worker_id);
  }

  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }

private:
  /// As "2 executors and 1 driver": drivers where there are any.
  [[nodiscard]] std::string programs_on(const WorkerId& x) const {
    const auto& index = before_.index();
    auto executors = std::ssize(index.executors_on(x));
    auto drivers = std::ssize(index.drivers_on(x));
    auto result = format_count(executors, "executor");
    if (drivers == 0)
      return result;
    auto of_drivers = format_count(drivers, "driver");
    return executors == 0 ? of_drivers : result + " and " + of_drivers;
  }

  [[nodiscard]] std::string room_on(const WorkerId& id) const {
    const auto& workers = before_.tables().workers();
    auto found = workers.find(id);
    if (found == workers.end())
      return {};
    const auto& x = found->second;
    const auto& use = before_.index().use_of(id);
    return id.value + " had "
           + amount(x.cores - use.cores, x.memory_mb - use.memory_mb)
           + " free of " + amount(x.cores, x.memory_mb) + '.';
  }

  /// What a new one asks for. It has nothing yet, and may be given that at once.
  [[nodiscard]] static std::string wanted_by(const StoredApplication& x) {
    // Tenants count what it asks for as a whole.
    if (x.requested.cores > 0)
      return "asks for " + amount(x.requested.cores, x.requested.memory_mb);
    auto size
        = amount(x.cores_per_executor.value_or(1), x.memory_per_executor_mb);
    if (!x.cores_per_executor)
      return "waits for at least " + size;
    auto limit = x.executor_limit;
    if (const auto& instances = x.description.instances)
      limit = std::min(limit.value_or(instances->count), instances->count);
    if (limit == 1)
      return "waits for " + size;
    return "waits for "
           + (limit ? format_count(*limit, "executor")
                    : std::string{"executors"})
           + " with " + size + " each";
  }

  /// Who ended it, where nothing else says that.
  [[nodiscard]] static std::string why_ended(const StoredApplication& x) {
    if (x.state == ApplicationState::FINISHED)
      return x.description.instances ? "All of its instances are done. "
                                     : "Its driver has said that it is done. ";
    return {};
  }

  /// What becomes free with its last executors: they are told to end before it does.
  [[nodiscard]] std::string what_it_leaves(const AppId& id) const {
    std::int64_t cores = 0;
    std::int64_t memory_mb = 0;
    const auto& executors = before_.tables().executors();
    for (auto i = executors.lower_bound({id, std::numeric_limits<int>::min()});
         i != executors.end() && i->first.app_id == id; ++i)
      if (const auto& x = i->second; !x.ended || x.ending) {
        cores += x.cores;
        memory_mb += x.memory_mb;
      }
    return cores == 0 ? "It held nothing any more."
                      : amount(cores, memory_mb)
                            + " are free as soon as its executors are gone.";
  }

  /// Whom that may serve.
  [[nodiscard]] std::string who_is_next(const StoredApplication& ended) const {
    const auto& counts = before_.index().applications_in();
    auto found = counts.find(ApplicationState::WAITING);
    auto waiting = found == counts.end() ? 0 : found->second;
    const auto& applications = before_.tables().applications();
    auto known = applications.find(ended.id);
    if (known != applications.end()
        && known->second.state == ApplicationState::WAITING)
      --waiting;
    if (waiting <= 0)
      return " No application waits for room.";
    auto result = ' ' + format_count(waiting, "application")
                  + (waiting == 1 ? " waits" : " wait") + " for room";
    auto next = first_that_waits(ended.id);
    return next.empty()   ? result + '.'
           : waiting == 1 ? result + ": " + next + '.'
                          : result + ", " + next + " is the first of them.";
  }

  /// Of those that are admitted, and came first. Empty: not found among these.
  [[nodiscard]] std::string first_that_waits(const AppId& but) const {
    constexpr int looked_at_most = 1000;
    const StoredApplication* result = nullptr;
    int looked_at = 0;
    for (const auto& [number, id] : before_.index().active_applications()) {
      if (++looked_at > looked_at_most)
        break;
      const auto& x = before_.tables().applications().at(id);
      if (id != but && x.state == ApplicationState::WAITING && x.turn
          && x.waits_for.empty() && (!result || *x.turn < *result->turn))
        result = &x;
    }
    return result ? result->id.value : std::string{};
  }

  /// What its application had before it.
  [[nodiscard]] std::string before_of(const StoredExecutor& x) const {
    auto cores = before_.index().cores_of(x.app_id);
    auto had = cores == 0 ? std::string{"no cores"} : format_cores(cores);
    const auto& applications = before_.tables().applications();
    auto found = applications.find(x.app_id);
    if (found == applications.end())
      return "The application had " + had + '.';
    const auto& app = found->second;
    std::vector<std::string> parts;
    if (app.description.max_cores)
      parts.push_back("asks for " + format_cores(*app.description.max_cores));
    parts.push_back("had " + (cores == 0 && !parts.empty() ? "none" : had));
    if (app.gang)
      parts.push_back("starts " + format_count(*app.gang, "executor")
                      + " at once");
    if (app.preferred_hosts.contains(x.host))
      parts.push_back("prefers " + x.host);
    auto result = "The application " + parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
      result += (i + 1 < parts.size() ? ", " : " and ") + parts[i];
    return result + '.';
  }

  const ClusterCopy& before_;
};

} // namespace

std::string decision_behind(const Change& change, const ClusterCopy& before) {
  return std::visit(Decision{before}, change);
}

} // namespace stoker
