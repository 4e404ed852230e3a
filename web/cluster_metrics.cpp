#include "web/cluster_metrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/tenants/company_of_user.hpp"
#include "web/cluster_view.hpp"

namespace stoker {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Labels = std::vector<ClientMetric::Label>;

constexpr double bytes_per_mb = 1024 * 1024;
constexpr const char* other_companies = "(others)";

double seconds(Duration x) {
  return std::max(0.0, std::chrono::duration<double>{x}.count());
}

/// Families of gauges, in the order in which they are named first.
class Gauges {
public:
  void add(const std::string& name, const char* help, double value,
           Labels labels = {}) {
    if (result_.empty() || result_.back().name != name)
      result_.push_back({name, help, prometheus::MetricType::Gauge, {}});
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    result_.back().metric.push_back(std::move(metric));
  }

  /// One for each of the states, also of those that nothing is in.
  template <class State, std::size_t n>
  void add(const std::string& name, const char* help,
           const std::map<State, int>& counts,
           const std::array<State, n>& states) {
    for (auto state : states) {
      auto found = counts.find(state);
      add(name, help, found == counts.end() ? 0 : found->second,
          {{"state", to_string(state)}});
    }
  }

  /// As Spark's master names it (org.apache.spark.metrics.sink.PrometheusServlet).
  void add_of_spark(const std::string& name, const char* help, int value) {
    for (const auto* suffix : {"_Number", "_Value"})
      add("metrics_master_" + name + suffix, help, value, {{"type", "gauges"}});
  }

  [[nodiscard]] std::vector<MetricFamily> take() && {
    return std::move(result_);
  }

private:
  std::vector<MetricFamily> result_;
};

void add_master(Gauges& to, RecoveryState status) {
  constexpr std::array states{RecoveryState::STANDBY, RecoveryState::RECOVERING,
                              RecoveryState::COMPLETING_RECOVERY,
                              RecoveryState::ALIVE};
  to.add("stoker_master_state", "1 for the state that the master is in",
         std::map<RecoveryState, int>{{status, 1}}, states);
}

int add_workers(Gauges& to, const std::vector<WorkerInfo>& workers) {
  constexpr std::array states{WorkerState::ALIVE, WorkerState::DEAD,
                              WorkerState::DECOMMISSIONED,
                              WorkerState::UNKNOWN};
  std::map<WorkerState, int> counts;
  int with_problem = 0;
  WorkerInfo sum;
  for (const auto& x : workers) {
    ++counts[x.state];
    if (x.state != WorkerState::ALIVE)
      continue;
    with_problem += x.problem ? 1 : 0;
    sum.cores += x.cores;
    sum.cores_used += x.cores_used;
    sum.memory_mb += x.memory_mb;
    sum.memory_used_mb += x.memory_used_mb;
  }
  to.add("stoker_workers", "Workers by state", counts, states);
  to.add("stoker_workers_with_problems",
         "Workers that are alive and given nothing", with_problem);
  to.add("stoker_cores", "Cores of the workers that are alive", sum.cores);
  to.add("stoker_cores_used", "Those that are in use", sum.cores_used);
  to.add("stoker_memory_bytes", "Memory of the workers that are alive",
         static_cast<double>(sum.memory_mb) * bytes_per_mb);
  to.add("stoker_memory_used_bytes", "What of it is in use",
         static_cast<double>(sum.memory_used_mb) * bytes_per_mb);
  return counts[WorkerState::ALIVE];
}

/// What a company has, or the cluster where there are none.
struct QueueFigures {
  int queued = 0;
  int admitted = 0;
  std::int64_t cores_requested = 0;
  Duration longest_wait{};
};

/// To which company users belong.
class Companies {
public:
  explicit Companies(const TenantsConfig& config) : of_users_(config) {
    for (const auto& x : config.companies)
      if (measured_.size() < measured_companies_max)
        measured_.insert(x.name);
  }

  [[nodiscard]] std::string of(const std::string& user) const {
    return measured(of_users_.find(user).value_or(""));
  }

  /// The name under which a company is measured.
  [[nodiscard]] std::string measured(const std::string& company) const {
    return measured_.contains(company) ? company : other_companies;
  }

private:
  CompanyOfUser of_users_;

  /// The first ones of the file.
  std::set<std::string> measured_;
};

void add_companies(Gauges& to, const TenantsConfig& config,
                   const ClusterCopy& cluster, Instant now) {
  Companies companies{config};
  std::map<std::string, QueueFigures> figures;
  for (const auto& x : config.companies)
    figures[companies.measured(x.name)];
  auto count = [&](const auto& x) {
    auto& of_company = figures[companies.of(x.description.user)];
    if (x.turn) {
      ++of_company.admitted;
      of_company.cores_requested += x.requested.cores;
    } else if (x.waits_for.empty()) {
      ++of_company.queued;
      of_company.longest_wait
          = std::max(of_company.longest_wait, now - x.submitted);
    }
  };
  for (const auto& [number, id] : cluster.index().active_applications())
    count(cluster.tables().applications().at(id));
  for (const auto& [number, id] : cluster.index().active_drivers())
    count(cluster.tables().drivers().at(id));
  auto each = [&](const std::string& name, const char* help, auto value) {
    for (const auto& [company, x] : figures)
      to.add(name, help, value(x),
             {{"company", std::string{as_utf8(company)}}});
  };
  each("stoker_company_queued",
       "Applications and drivers that wait to be admitted",
       [](const QueueFigures& x) { return x.queued; });
  each("stoker_company_admitted", "Applications and drivers that are admitted",
       [](const QueueFigures& x) { return x.admitted; });
  each("stoker_company_requested_cores",
       "Cores that admitted applications and drivers asked for",
       [](const QueueFigures& x) {
         return static_cast<double>(x.cores_requested);
       });
  each("stoker_company_longest_wait_seconds",
       "How long an application or driver has waited to be admitted, at most",
       [](const QueueFigures& x) { return seconds(x.longest_wait); });
}

/// How long an application has waited for its first executor, at most: one that wants some.
Duration longest_wait(const ClusterCopy& cluster, Instant now) {
  Duration result{};
  const auto& config = cluster.tables().config();
  auto has_tenants = config && config->tenants;
  // Without tenants, requests are not counted.
  auto wants_some = [&](const StoredApplication& x) {
    return has_tenants ? x.requested.cores > 0
                       : x.executor_limit.value_or(1) > 0;
  };
  for (const auto& [number, id] : cluster.index().active_applications()) {
    const auto& x = cluster.tables().applications().at(id);
    if (x.state == ApplicationState::WAITING && x.waits_for.empty()
        && wants_some(x))
      result = std::max(result, now - x.submitted);
  }
  return result;
}

void add_applications(Gauges& to, const ClusterCopy& cluster, Instant now) {
  constexpr std::array states{ApplicationState::WAITING,
                              ApplicationState::RUNNING,
                              ApplicationState::UNKNOWN};
  to.add("stoker_applications", "Applications that have not ended, by state",
         cluster.index().applications_in(), states);
  to.add("stoker_longest_wait_seconds",
         "How long an application has waited for its first executor, at most",
         seconds(longest_wait(cluster, now)));
}

/// The same of drivers, which wait for the room that they need.
Duration longest_driver_wait(const ClusterCopy& cluster, Instant now) {
  Duration result{};
  for (const auto& [number, id] : cluster.index().active_drivers()) {
    const auto& x = cluster.tables().drivers().at(id);
    if (x.state == DriverState::SUBMITTED && x.waits_for.empty())
      result = std::max(result, now - x.submitted);
  }
  return result;
}

void add_programs(Gauges& to, const ClusterCopy& cluster, Instant now) {
  const auto& index = cluster.index();
  constexpr std::array executor_states{ExecutorState::LAUNCHING,
                                       ExecutorState::RUNNING,
                                       ExecutorState::DECOMMISSIONED};
  to.add("stoker_executors", "Executors that have not ended, by state",
         index.executors_in(), executor_states);
  constexpr std::array driver_states{
      DriverState::SUBMITTED, DriverState::RUNNING, DriverState::RELAUNCHING,
      DriverState::UNKNOWN};
  to.add("stoker_drivers", "Drivers that have not ended, by state",
         index.drivers_in(), driver_states);
  to.add("stoker_longest_driver_wait_seconds",
         "How long a driver has waited to be started, at most",
         seconds(longest_driver_wait(cluster, now)));
}

std::vector<SparkFigure> figures_of(const ClusterCopy& cluster,
                                    std::size_t workers, int alive) {
  const auto& index = cluster.index();
  auto waiting = index.applications_in().find(ApplicationState::WAITING);
  return {{"workers", "Workers", static_cast<int>(workers)},
          {"aliveWorkers", "Workers that are alive", alive},
          {"apps", "Applications that have not ended",
           static_cast<int>(index.active_applications().size())},
          {"waitingApps", "Applications that wait for an executor",
           waiting == index.applications_in().end() ? 0 : waiting->second}};
}

} // namespace

std::vector<MetricFamily> cluster_metrics(const ClusterCopy& cluster,
                                          Instant now) {
  Gauges result;
  auto status = cluster.observation()->status;
  add_master(result, status);
  if (status == RecoveryState::STANDBY)
    return std::move(result).take();
  auto workers = workers_of(cluster);
  auto alive = add_workers(result, workers);
  add_applications(result, cluster, now);
  add_programs(result, cluster, now);
  if (const auto& config = cluster.tables().config(); config && config->tenants)
    add_companies(result, *config->tenants, cluster, now);
  for (const auto& x : figures_of(cluster, workers.size(), alive))
    result.add_of_spark(x.name, x.help, x.value);
  return std::move(result).take();
}

std::vector<SparkFigure> spark_figures(const ClusterCopy& cluster) {
  if (cluster.observation()->status == RecoveryState::STANDBY)
    return {};
  auto workers = workers_of(cluster);
  auto alive = std::count_if(workers.begin(), workers.end(), [](const auto& x) {
    return x.state == WorkerState::ALIVE;
  });
  return figures_of(cluster, workers.size(), static_cast<int>(alive));
}

} // namespace stoker
