#include "scheduling/master/cluster.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

namespace {

/// What a master that is not ALIVE takes notice of. All else is left without an
/// answer, so that whoever asks turns to another master.
bool concerns_standby(const Event& what) {
  return std::holds_alternative<ElectedLeader>(what)
         || std::holds_alternative<RegisterWorker>(what)
         || std::holds_alternative<RegisterApplication>(what);
}

} // namespace

Cluster::Cluster(ClusterConfig config) : ClusterState(std::move(config)) {
  assert(!validate(config_));
  if (const auto& tenants = config_.tenants) {
    tenants_.emplace(*tenants);
    census_ = FreeCensus{
        {tenants->min_executor_cores, tenants->min_executor_memory_mb}};
  }
}

StepResult Cluster::step(Instant now, const Event& what) {
  assert(now >= now_);
  now_ = now;
  if (status_ != RecoveryState::STANDBY || concerns_standby(what))
    std::visit([this](const auto& x) { on(x); }, what);
  finish_recovery();
  // Again, where a pass itself sets something free: room that was kept with a
  // driver and that its application does not take.
  while (std::exchange(resources_changed_, false)
         && status_ == RecoveryState::ALIVE)
    schedule();
  arm();
  persist();
  return std::exchange(out_, {});
}

void Cluster::on(const CheckForWorkerTimeOut&) {
  if (armed_for_ && *armed_for_ <= now_)
    armed_for_.reset();
  while (!checks_.empty() && std::get<Instant>(*checks_.begin()) <= now_) {
    auto [when, kind, key] = *checks_.begin();
    checks_.erase(checks_.begin());
    switch (kind) {
    case Due::worker:
      check_worker(WorkerKey{key});
      break;
    case Due::application:
      check_application(AppKey{key});
      break;
    case Due::driver:
      check_driver(DriverKey{key});
      break;
    case Due::recovery:
      // Looked at after each step.
      break;
    }
  }
}

void Cluster::on(const EndpointLost& x) {
  if (auto i = worker_endpoints_.find(x.endpoint);
      i != worker_endpoints_.end()) {
    auto key = i->second;
    worker_endpoints_.erase(i);
    if (workers_.at(key).state == WorkerState::DECOMMISSIONED)
      return lose_worker(key, "it left");
    change(key, [&](Worker& worker) {
      worker.state = WorkerState::UNKNOWN;
      worker.report_due = now_ + config_.reconnect_timeout;
      // What it was asked over that connection, it will not answer any more.
      worker.asked = worker.asked_before_work = false;
    });
    check_worker(key);
  } else if (auto j = app_endpoints_.find(x.endpoint);
             j != app_endpoints_.end()) {
    auto& app = apps_.at(j->second);
    app.reconnect_due = now_ + config_.reconnect_timeout;
    check_application(j->second);
  }
}

std::string Cluster::make_id(const char* kind, std::uint32_t number) {
  auto second = std::chrono::floor<std::chrono::seconds>(now_);
  if (date_of_ != second) {
    date_ = compact_date(second);
    date_of_ = second;
  }
  auto sequence = std::to_string(number);
  sequence.insert(0, 4 - std::min<std::size_t>(4, sequence.size()), '0');
  return std::string{kind} + '-' + date_ + '-' + sequence;
}

void Cluster::check_at(Instant when, Due kind, std::uint32_t key) {
  checks_.emplace(when, kind, key);
}

void Cluster::arm() {
  if (checks_.empty())
    return;
  auto next = std::get<Instant>(*checks_.begin());
  if (armed_for_ && *armed_for_ <= next)
    return;
  armed_for_ = next;
  out_.wake_at = next;
}

} // namespace stoker
