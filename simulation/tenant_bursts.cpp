#include "simulation/tenant_bursts.hpp"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "simulation/executor_connections.hpp"
#include "simulation/referee.hpp"
#include "simulation/violation.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int machines = 16;
constexpr int cores_of_machine = 16;
constexpr int all_cores = machines * cores_of_machine;
constexpr std::int64_t memory_of_core_mb = 1024;

/// Applications of a company that are there at once. A burst wants twenty cores on
/// average, so that both companies want well more than three times the cluster together,
/// although some have just ended and others have begun little.
constexpr int applications_of_company = 34;
constexpr int users_of_company = 3;
constexpr std::int64_t most_tasks = 40;
constexpr Duration longest_task = seconds{20};

constexpr Duration sample_interval = milliseconds{500};

/// Until all are there and the cluster is full.
constexpr Duration warm_up = seconds{60};

class BurstWorld {
public:
  explicit BurstWorld(const TenantBursts& what);
  TenantShares run();

private:
  /// One of the applications that a company has at once.
  struct Place {
    std::size_t company = 0;
    ApplicationProcess* application = nullptr;
    bool burst_is_due = false;
  };

  [[nodiscard]] TenantsConfig tenants() const;
  void look();
  void measure();
  void go_on(Place& x);
  void start_application(Place& x);
  void burst(Place& x, int tasks);
  [[nodiscard]] double wanted_by(std::size_t company) const;

  TenantBursts what_;
  Dice dice_;
  EventQueue queue_;
  SharedDirectory directory_;
  Network network_;
  Referee referee_;
  std::unique_ptr<MasterProcess> master_;
  ExecutorConnections::Workers workers_;
  ExecutorConnections::Applications applications_;
  ExecutorConnections connections_;
  std::vector<Place> places_;
  std::array<int, 2> purchased_{};
  std::int64_t looks_ = 0;
  std::int64_t contended_ = 0;
  TenantShares result_;
};

BurstWorld::BurstWorld(const TenantBursts& what)
    : what_(what), dice_(what.seed, "bursts"), network_(queue_, what.seed),
      referee_(queue_, directory_, network_, nullptr),
      connections_(queue_, referee_, workers_, applications_) {
  referee_.look_at_states_every(200);
  purchased_[0] = static_cast<int>(dice_.between(all_cores / 4, all_cores / 2));
  purchased_[1] = all_cores - purchased_[0];
  ClusterConfig config;
  config.master_url = "stoker://simulation";
  config.durable = true;
  config.seed = what.seed;
  config.tenants = tenants();
  master_ = std::make_unique<MasterProcess>(queue_, "master", what.seed, config,
                                            network_, directory_, referee_);
  referee_.watch(*master_);
  for (int i = 0; i < machines; ++i) {
    WorkerConfig worker;
    worker.cores = cores_of_machine;
    worker.memory_mb = cores_of_machine * memory_of_core_mb;
    worker.work_directory = "/work";
    workers_.push_back(std::make_unique<WorkerProcess>(
        queue_, "worker-" + std::to_string(i), what.seed, worker, network_,
        std::vector{master_.get()}, referee_));
    connections_.watch(*workers_.back());
    referee_.watch(*workers_.back());
  }
  for (std::size_t company = 0; company < 2; ++company)
    for (int i = 0; i < applications_of_company; ++i)
      places_.push_back({company});
}

TenantsConfig BurstWorld::tenants() const {
  TenantsConfig result;
  result.min_executor_cores = 1;
  result.min_executor_memory_mb = memory_of_core_mb / 2;
  result.accounting = what_.accounting;
  result.cap_at_purchased = what_.cap_at_purchased;
  for (std::size_t i = 0; i < 2; ++i) {
    auto name = "c" + std::to_string(i);
    CompanyConfig company{name};
    company.cores = purchased_[i];
    company.memory_mb = purchased_[i] * memory_of_core_mb;
    result.companies.push_back(std::move(company));
    for (int user = 0; user < users_of_company; ++user)
      result.users.push_back({name + "-u" + std::to_string(user), name});
  }
  return result;
}

TenantShares BurstWorld::run() {
  try {
    master_->start();
    for (const auto& worker : workers_)
      worker->start();
    queue_.run_until(queue_.now() + seconds{10});
    while (result_.bursts < what_.bursts) {
      look();
      queue_.run_until(queue_.now() + sample_interval);
    }
  } catch (const Violation& x) {
    result_.violation = x.what();
  }
  auto all
      = static_cast<double>(std::max<std::int64_t>(contended_, 1)) * all_cores;
  for (std::size_t i = 0; i < 2; ++i) {
    auto& company = result_.companies.at(i);
    company.purchased = static_cast<double>(purchased_.at(i)) / all_cores;
    company.occupied /= all;
    company.wanted /= all;
  }
  result_.contended = static_cast<double>(contended_)
                      / static_cast<double>(std::max<std::int64_t>(looks_, 1));
  result_.measured = sample_interval * looks_;
  return result_;
}

void BurstWorld::look() {
  for (auto& place : places_)
    go_on(place);
  if (queue_.since_begin() > warm_up)
    measure();
}

void BurstWorld::measure() {
  ++looks_;
  auto wanted = std::array{wanted_by(0), wanted_by(1)};
  if (wanted[0] < purchased_[0] || wanted[1] < purchased_[1])
    return;
  ++contended_;
  const auto* tenants = master_->cluster().state().admission.tenants();
  auto view = tenants->view(master_->now());
  for (std::size_t i = 0; i < 2; ++i) {
    auto& company = result_.companies.at(i);
    company.occupied
        += static_cast<double>(view.companies.at(i).figures.running.cores);
    company.wanted += wanted.at(i);
  }
}

/// Cores for all tasks that wait or run.
double BurstWorld::wanted_by(std::size_t company) const {
  double result = 0;
  for (const auto& place : places_)
    if (place.company == company && place.application != nullptr)
      result += static_cast<double>(
          place.application->elastic()->tasks().unfinished());
  return result;
}

/// The next burst comes when the last one is over: at once as another application, or
/// after a while.
void BurstWorld::go_on(Place& x) {
  if (x.application == nullptr)
    return start_application(x);
  if (x.burst_is_due || x.application->elastic()->tasks().unfinished() > 0)
    return;
  if (what_.load != TenantBursts::Load::stages) {
    x.application->leave();
    return start_application(x);
  }
  x.burst_is_due = true;
  queue_.after(dice_.lasting(seconds{1}, seconds{10}), [this, &x] {
    x.burst_is_due = false;
    burst(x, static_cast<int>(dice_.between(1, most_tasks)));
  });
}

void BurstWorld::start_application(Place& x) {
  AllocationSettings settings;
  settings.enabled = true;
  settings.idle_timeout = what_.idle_timeout;
  settings.executor_cores = static_cast<int>(dice_.between(1, 2));
  auto tasks = static_cast<int>(dice_.between(1, most_tasks));
  settings.initial_executors = static_cast<int>(dice_.between(0, 2));
  if (what_.load == TenantBursts::Load::applications)
    settings.initial_executors = (tasks - 1) / slots(settings) + 1;
  ApplicationDescription description;
  auto number = applications_.size();
  description.name = "application-" + std::to_string(number);
  description.user = "c" + std::to_string(x.company) + "-u"
                     + std::to_string(dice_.between(0, users_of_company - 1));
  description.command.arguments = {"program", "long"};
  description.cores_per_executor = settings.executor_cores;
  description.memory_per_executor_mb
      = settings.executor_cores * memory_of_core_mb / 2;
  description.max_cores = all_cores;
  if (what_.cap_at_purchased)
    description.max_cores = purchased_.at(x.company);
  description.initial_executor_limit = initial_target(settings);
  applications_.push_back(std::make_unique<ApplicationProcess>(
      queue_, description.name, what_.seed, description,
      ApplicationProcess::Elastic{settings, connections_.stop_of_next()},
      network_, std::vector{master_.get()}, referee_));
  x.application = applications_.back().get();
  referee_.watch(*x.application);
  x.application->start();
  burst(x, tasks);
}

void BurstWorld::burst(Place& x, int tasks) {
  ++result_.bursts;
  x.application->burst(tasks, dice_.lasting(seconds{1}, longest_task));
}

} // namespace

TenantShares run(const TenantBursts& what) {
  return BurstWorld{what}.run();
}

std::string to_text(const TenantBursts& what, const TenantShares& x) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1);
  out << "seed " << what.seed << ": " << x.bursts << " bursts in "
      << x.measured / std::chrono::minutes{1} << " min, contended for "
      << 100 * x.contended << " %";
  for (const auto& company : x.companies)
    out << "; purchased " << 100 * company.purchased << " %, wants "
        << 100 * company.wanted << " %, occupies " << 100 * company.occupied
        << " %";
  if (x.violation)
    out << "; " << *x.violation;
  return out.str();
}

} // namespace stoker::simulation
