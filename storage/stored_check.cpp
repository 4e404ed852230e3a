#include "storage/stored_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace stoker {

namespace {

class Check {
public:
  explicit Check(const StoredState& state) : state_(state) {
    for (const auto& x : state.workers)
      usage_[x.id].worker = &x;
    for (const auto& x : state.applications)
      applications_.insert(x.id);
  }

  std::vector<std::string> run() {
    for (const auto& x : state_.executors)
      check(x);
    for (const auto& x : state_.drivers)
      check(x);
    for (const auto& [id, usage] : usage_)
      check(usage);
    check_numbers("application", state_.applications,
                  state_.counters.applications);
    check_numbers("driver", state_.drivers, state_.counters.drivers);
    return std::move(findings_);
  }

private:
  struct Usage {
    const StoredWorker* worker = nullptr;
    Resources taken;

    /// What holds each address.
    std::map<std::pair<std::string, std::string>, std::string> addresses;
  };

  void check(const StoredExecutor& x) {
    auto name = "executor " + to_string(ExecutorId{x.app_id, x.exec_id});
    // One that has to end yet may outlive its application's record.
    if (!x.ending && !applications_.contains(x.app_id))
      report(name + ": its application is not stored");
    if (x.ending || !x.ended)
      take(name, x.worker_id, {x.cores, x.memory_mb}, x.resources);
  }

  void check(const StoredDriver& x) {
    if (x.ended || !x.worker_id)
      return;
    auto name = "driver " + x.id.value;
    const auto& wanted = x.description;
    // It waits to be started elsewhere when the worker is gone.
    if (!usage_.contains(*x.worker_id))
      return;
    take(name, *x.worker_id, {wanted.cores, wanted.memory_mb}, x.resources);
    if (!wanted.executors)
      return;
    for (const auto& y : x.reservations)
      take("reservation of " + name, y.worker_id,
           {wanted.executors->cores, wanted.executors->memory_mb}, y.resources);
  }

  void take(const std::string& name, const WorkerId& id, Resources size,
            const ResourceAddresses& resources) {
    auto found = usage_.find(id);
    if (found == usage_.end())
      return report(name + ": its worker " + id.value + " is not stored");
    auto& usage = found->second;
    usage.taken += size;
    for (const auto& [kind, addresses] : resources)
      for (const auto& address : addresses) {
        auto what = kind + " " + address + " of worker " + id.value;
        const auto& has = usage.worker->resources;
        auto kinds = has.find(kind);
        if (kinds == has.end()
            || std::find(kinds->second.begin(), kinds->second.end(), address)
                   == kinds->second.end())
          report(name + ": has " + what + ", which is not there");
        auto [holder, first]
            = usage.addresses.try_emplace({kind, address}, name);
        if (!first)
          report(name + ": has " + what + ", as " + holder->second + " has");
      }
  }

  void check(const Usage& usage) {
    const auto& worker = *usage.worker;
    auto exceeds = [&](const char* what, std::int64_t taken, std::int64_t has) {
      if (taken > has)
        report("worker " + worker.id.value + ": " + std::to_string(taken) + " "
               + what + " are taken of " + std::to_string(has));
    };
    exceeds("cores", usage.taken.cores, worker.cores);
    exceeds("MB", usage.taken.memory_mb, worker.memory_mb);
  }

  /// Numbers count up from 0, none twice; the counter is the next.
  template <class Records>
  void check_numbers(const std::string& kind, const Records& records,
                     std::uint32_t count) {
    std::set<std::uint32_t> numbers;
    for (const auto& x : records)
      if (!numbers.insert(x.number).second)
        report(kind + " " + x.id.value + ": its number "
               + std::to_string(x.number) + " is given twice");
    if (!numbers.empty() && *numbers.rbegin() >= count)
      report("counters: " + std::to_string(count) + " " + kind
             + "s are counted, and one has the number "
             + std::to_string(*numbers.rbegin()));
  }

  void report(std::string finding) {
    findings_.push_back(std::move(finding));
  }

  const StoredState& state_;
  std::map<WorkerId, Usage> usage_;
  std::set<AppId> applications_;
  std::vector<std::string> findings_;
};

} // namespace

std::vector<std::string> find_contradictions(const StoredState& state) {
  return Check{state}.run();
}

} // namespace stoker
