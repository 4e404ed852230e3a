#include "scheduling/master/outages.hpp"

#include <utility>
#include <vector>

#include "scheduling/master/step.hpp"
#include "scheduling/master/workers.hpp"

namespace stoker {

namespace {

/// Fewer than that fall silent for reasons of their own.
constexpr std::ptrdiff_t fewest = 3;

/// For so long the others are taken to be there after a look at all.
constexpr Duration look_interval = std::chrono::seconds{1};

/// Half of its time is over: it has missed a heartbeat, cannot be reached, or
/// has not answered.
bool is_silent(const Step& step, WorkerKey key, const Worker& x) {
  const auto& config = step.config();
  auto silent_from = x.last_heartbeat + config.worker_timeout / 2 + x.stalled;
  return silent_from <= step.now() || !step.state.workers.is_connected(key)
         || (x.report_due
             && *x.report_due <= step.now() + config.reconnect_timeout / 2);
}

std::vector<WorkerKey> silent_if_most(const Step& step) {
  std::vector<WorkerKey> result;
  std::ptrdiff_t present = 0;
  for (const auto& [key, x] : step.state.workers.all()) {
    if (x.stored.state == WorkerState::DEAD)
      continue;
    ++present;
    if (is_silent(step, key, x))
      result.push_back(key);
  }
  if (std::ssize(result) < fewest || 2 * std::ssize(result) <= present)
    result.clear();
  return result;
}

std::vector<AppKey> away_if_most(const Step& step) {
  std::vector<AppKey> result;
  const auto& all = step.state.applications.all();
  for (const auto& [key, x] : all)
    if (x.reconnect_due)
      result.push_back(key);
  if (std::ssize(result) < fewest || 2 * std::ssize(result) <= std::ssize(all))
    result.clear();
  return result;
}

void wait_longer(Step& step, WorkerKey key) {
  auto by = step.config().outage_timeout;
  auto& worker = step.state.workers.edit(key);
  if (std::exchange(worker.patience, by) > Duration{})
    return;
  if (worker.report_due)
    *worker.report_due += by;
  if (worker.stored.state != WorkerState::ALIVE)
    return;
  // Nothing is started there before it has told what it runs.
  set_state(step, key, WorkerState::UNKNOWN);
  worker.report_due = deadline_of(step, worker);
}

void wait_longer(Step& step, AppKey key) {
  auto by = step.config().outage_timeout;
  auto& app = step.state.applications.edit(key);
  if (std::exchange(app.patience, by) == Duration{})
    *app.reconnect_due += by;
}

} // namespace

bool wait_out_outage(Step& step, WorkerKey key) {
  const auto& worker = step.state.workers.at(key);
  auto& believed_until = step.state.outages.most_workers_there;
  if (step.config().outage_timeout <= Duration{} || worker.patience > Duration{}
      || step.now() < believed_until)
    return false;
  auto silent = silent_if_most(step);
  if (silent.empty())
    believed_until = step.now() + look_interval;
  for (auto x : silent)
    wait_longer(step, x);
  return worker.patience > Duration{};
}

bool wait_out_outage(Step& step, AppKey key) {
  const auto& app = step.state.applications.at(key);
  auto& believed_until = step.state.outages.most_applications_there;
  if (step.config().outage_timeout <= Duration{} || app.patience > Duration{}
      || step.now() < believed_until)
    return false;
  auto away = away_if_most(step);
  if (away.empty())
    believed_until = step.now() + look_interval;
  for (auto x : away)
    wait_longer(step, x);
  return app.patience > Duration{};
}

} // namespace stoker
