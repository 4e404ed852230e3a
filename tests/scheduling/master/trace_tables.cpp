// How traces show what a master knows.

#include <iomanip>
#include <sstream>

#include "scheduling/master/cluster.hpp"
#include "scheduling/master/snapshot.hpp"
#include "scheduling/planning/explain.hpp"
#include "scheduling/planning/explain_driver.hpp"
#include "scheduling/planning/waiting.hpp"
#include "tests/scheduling/master/trace.hpp"

namespace stoker::test {

namespace {

std::string cores(int n) {
  return std::to_string(n) + (n == 1 ? " core" : " cores");
}

void show_worker(std::ostream& out, const WorkerInfo& x) {
  out << std::left << std::setw(4) << x.id.value << ' ' << std::setw(14)
      << to_string(x.state) << std::right << std::setw(3)
      << x.cores - x.cores_used << " of " << cores(x.cores) << " free, "
      << x.memory_mb - x.memory_used_mb << " of " << x.memory_mb << " MB";
  for (const auto& version : x.spark_versions)
    out << ", Spark " << version;
  out << (x.only_spark ? " only\n" : "\n");
}

void show_application(std::ostream& out, const ApplicationInfo& x) {
  out << x.id.value << ' ' << x.name << ' ' << to_string(x.state) << ", "
      << cores(x.cores_granted);
  if (x.executor_limit)
    out << ", limit " << *x.executor_limit;
  if (x.message)
    out << " (" << *x.message << ')';
  out << '\n';
  for (const auto& executor : x.executors) {
    out << "  /" << executor.exec_id << ' ' << to_string(executor.state)
        << " on " << executor.worker_id.value << ", " << cores(executor.cores);
    for (const auto& [name, addresses] : executor.resources) {
      out << ", " << name;
      for (const auto& address : addresses)
        out << ' ' << address;
    }
    if (executor.index)
      out << ", index " << *executor.index;
    if (executor.exit_status)
      out << ", exit status " << *executor.exit_status;
    out << '\n';
  }
}

void show_driver(std::ostream& out, const DriverInfo& x) {
  out << x.id.value << ' ' << x.name << ' ' << to_string(x.state);
  if (x.worker_id)
    out << " on " << x.worker_id->value;
  for (const auto& [name, addresses] : x.resources) {
    out << ", " << name;
    for (const auto& address : addresses)
      out << ' ' << address;
  }
  if (x.executors_reserved > 0)
    out << ", room kept for " << x.executors_reserved << " executors";
  if (x.message)
    out << " (" << *x.message << ')';
  out << '\n';
}

} // namespace

std::string Trace::explain(Words& words) const {
  auto id = full_id(words.next());
  auto x = id.starts_with("driver")
               ? stoker::explain(cluster_->state(), DriverId{id})
               : stoker::explain(*cluster_, now_, AppId{id});
  std::ostringstream out;
  out << "blocker: " << boost::describe::enum_to_string(x.blocker, "?") << '\n';
  for (const auto& reason : x.reasons)
    out << "- " << reason << '\n';
  if (!x.remedy.empty())
    out << "would start it: " << x.remedy << '\n';
  if (x.estimate)
    out << "estimate: " << x.estimate->in_ms << " ms, after "
        << id_text(*x.estimate) << ", from " << x.estimate->basis << '\n';
  for (const auto& other : x.ahead)
    out << "before it: " << other.id.value << ' ' << other.name << '\n';
  return out.str();
}

std::string Trace::queues() const {
  auto x = stoker::queues(cluster_->state(), now_);
  std::ostringstream out;
  auto figures = [&](const TenantFigures& y) {
    out << y.requested.cores << " cores " << y.requested.memory_mb
        << " MB requested, " << y.running.cores << " cores "
        << y.running.memory_mb << " MB running, " << y.admitted << " admitted, "
        << y.queued << " queued\n";
  };
  if (x.tenants) {
    for (const auto& company : x.tenants->companies) {
      out << company.name << ": ";
      figures(company.figures);
      for (const auto& user : company.users) {
        out << "  " << user.name << ": ";
        figures(user.figures);
      }
    }
    if (!x.tenants->full.empty())
      out << x.tenants->full << '\n';
  }
  for (const auto& app : x.admitted)
    out << id_text(app) << ' ' << app.name << ' ' << app.cores << " cores, "
        << app.cores_wanted << " more wanted\n";
  return out.str();
}

std::string Trace::show() const {
  auto state = snapshot(cluster_->state());
  std::ostringstream out;
  if (state.status != RecoveryState::ALIVE)
    out << "the master is " << to_string(state.status) << '\n';
  for (const auto& x : state.workers)
    show_worker(out, x);
  for (const auto& x : state.active_apps)
    show_application(out, x);
  for (const auto& x : state.active_drivers)
    show_driver(out, x);
  for (const auto& x : state.completed_apps) {
    out << "ended: ";
    show_application(out, x);
  }
  for (const auto& x : state.completed_drivers) {
    out << "ended: ";
    show_driver(out, x);
  }
  return out.str();
}

std::string Trace::plan(Words& words) const {
  RegisterApplication message;
  message.driver = EndpointId{"plan"};
  auto& description = message.description;
  description.command.arguments = {"executor"};
  description.cores_per_executor = words.cores();
  description.memory_per_executor_mb = words.memory_mb();
  description.max_cores = words.number_after("max");
  description.initial_executor_limit = words.number_after("limit");
  if (!words.empty())
    words.fail();
  auto copy = *cluster_;
  std::map<std::string, int> given;
  for (const auto& effect : copy.step(now_, message).messages)
    if (const auto* x = std::get_if<StartExecutor>(&effect))
      given[x->to.value] += x->cores;
  std::string result;
  for (const auto& worker : snapshot(cluster_->state()).workers) {
    auto i = given.find(worker.id.value);
    result += (result.empty() ? "" : "  ") + worker.id.value + ' '
              + (i == given.end() ? "-" : std::to_string(i->second));
  }
  return result + '\n';
}

} // namespace stoker::test
