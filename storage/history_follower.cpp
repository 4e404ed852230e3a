#include "storage/history_follower.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "storage/monthly_use.hpp"

namespace stoker {

namespace {

/// Whoever says more than a century of it is not believed.
constexpr std::int64_t most_ms = 100LL * 366 * 24 * 3600 * 1000;

std::optional<ResourceUse> plausible(const std::optional<ResourceUse>& x) {
  if (!x)
    return std::nullopt;
  auto within = [](std::int64_t value, std::int64_t most) {
    return std::clamp(value, std::int64_t{0}, most);
  };
  constexpr std::int64_t most = std::int64_t{1} << 50;
  return ResourceUse{within(x->cpu_ms, most_ms),
                     within(x->peak_memory_mb, most),
                     within(x->output_bytes, most)};
}

std::int64_t core_ms_of(const HistoryEntry& x) {
  auto ms = x.started_ms ? x.ended_ms - *x.started_ms : 0;
  return std::clamp(ms, std::int64_t{0}, most_ms) * x.cores;
}

/// Erases all of an application out of what is kept by executor.
template <class Container>
void erase_all_of(Container& from, const AppId& app) {
  auto key = [](const auto& x) -> const ExecutorId& {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, ExecutorId>)
      return x;
    else
      return x.first;
  };
  auto i = from.lower_bound(ExecutorId{app, 0});
  while (i != from.end() && key(*i).app_id == app)
    i = from.erase(i);
}

std::string stage_id_text(const AppId& app, StageId stage) {
  return app.value + "/stage-" + std::to_string(stage.value);
}

} // namespace

class HistoryFollower::Reader {
public:
  Reader(HistoryFollower& of, std::vector<HistoryChange>& out)
      : of_(of), out_(out) {
  }

  void operator()(const ClusterConfig& x) const {
    of_.companies_ = x.tenants ? CompanyOfUser{*x.tenants} : CompanyOfUser{};
  }

  void operator()(const StoredApplication& x) const {
    auto& known = of_.applications_[x.id];
    known.name = x.description.name;
    known.user = x.description.user;
    known.submitted = x.submitted;
    if (!x.ended)
      return;
    known.stages.clear();
    HistoryEntry entry;
    entry.kind = HistoryKind::application;
    entry.id = x.id.value;
    entry.app_id = x.id;
    entry.state = to_string(x.state);
    if (!x.message.empty())
      entry.message = x.message;
    entry.cores = x.cores_per_executor.value_or(0);
    entry.memory_mb = x.memory_per_executor_mb;
    if (x.started)
      entry.started_ms = to_ms(*x.started);
    entry.parts = x.next_exec_id;
    entry.ended_ms = to_ms(*x.ended);
    add_of(known, std::move(entry));
  }

  void operator()(const StoredExecutor& x) const {
    ExecutorId id{x.app_id, x.exec_id};
    auto app = of_.applications_.find(x.app_id);
    auto user
        = app == of_.applications_.end() ? std::string{} : app->second.user;
    if (!x.ended) {
      if (of_.lost_.erase(id) > 0)
        out_.emplace_back(ForgetEntry{to_string(id)});
      of_.executors_.insert_or_assign(
          id, Holder{std::move(user), x.cores, x.memory_mb, x.launched});
      return;
    }
    of_.executors_.erase(id);
    if (x.state == ExecutorState::LOST && x.index)
      of_.lost_.insert(id);
    else
      of_.lost_.erase(id);
    HistoryEntry entry;
    entry.kind = HistoryKind::executor;
    entry.id = to_string(id);
    entry.app_id = x.app_id;
    entry.state = to_string(x.state);
    entry.exit_status = x.exit_status;
    entry.message = x.message;
    entry.worker_id = x.worker_id;
    entry.host = x.host;
    entry.instance = x.index;
    entry.cores = x.cores;
    entry.memory_mb = x.memory_mb;
    entry.submitted_ms = entry.started_ms.emplace(to_ms(x.launched));
    entry.ended_ms = to_ms(*x.ended);
    entry.use = plausible(x.use);
    entry.parts = 1;
    if (app == of_.applications_.end()) {
      add(std::move(entry));
      return;
    }
    entry.name = app->second.name;
    entry.user = app->second.user;
    add(std::move(entry));
  }

  void operator()(const StoredDriver& x) const {
    if (!x.ended) {
      if (x.started && x.worker_id)
        of_.drivers_.insert_or_assign(
            x.id, Holder{x.description.user, x.description.cores,
                         x.description.memory_mb, *x.started});
      return;
    }
    of_.drivers_.erase(x.id);
    HistoryEntry entry;
    entry.kind = HistoryKind::driver;
    entry.id = x.id.value;
    entry.name = x.description.name;
    entry.user = x.description.user;
    entry.state = to_string(x.state);
    entry.exit_status = x.exit_status;
    entry.message = x.message;
    entry.worker_id = x.worker_id;
    entry.host = x.host;
    entry.cores = x.description.cores;
    entry.memory_mb = x.description.memory_mb;
    entry.submitted_ms = to_ms(x.submitted);
    if (x.started)
      entry.started_ms = to_ms(*x.started);
    entry.ended_ms = to_ms(*x.ended);
    entry.use = plausible(x.use);
    entry.parts = x.started ? x.restarts + 1 : 0;
    entry.relaunched_as = x.relaunched_as;
    add(std::move(entry));
  }

  void operator()(const EraseApplication& x) const {
    of_.applications_.erase(x.id);
  }
  void operator()(const EraseExecutor& x) const {
    of_.executors_.erase(x.id);
    of_.lost_.erase(x.id);
  }
  void operator()(const EraseExecutorsOf& x) const {
    erase_all_of(of_.executors_, x.app_id);
    erase_all_of(of_.lost_, x.app_id);
  }
  void operator()(const EraseDriver& x) const {
    of_.drivers_.erase(x.id);
  }

  template <class Other>
  void operator()(const Other&) const {
  }

  /// Of an application, or of a stage of it.
  void add_of(const Known& app, HistoryEntry entry) const {
    if (entry.name.empty())
      entry.name = app.name;
    entry.user = app.user;
    if (entry.submitted_ms == 0)
      entry.submitted_ms = to_ms(app.submitted);
    add(std::move(entry));
  }

private:
  void add(HistoryEntry entry) const {
    entry.company = of_.companies_.find(entry.user);
    if (entry.kind == HistoryKind::executor
        || entry.kind == HistoryKind::driver)
      entry.core_ms = core_ms_of(entry);
    out_.emplace_back(std::move(entry));
  }

  HistoryFollower& of_;
  std::vector<HistoryChange>& out_;
};

std::vector<HistoryChange> HistoryFollower::follow(const FeedUpdate& update) {
  std::vector<HistoryChange> result;
  Reader read{*this, result};
  if (update.snapshot) {
    const auto& all = *update.snapshot;
    applications_.clear();
    executors_.clear();
    drivers_.clear();
    lost_.clear();
    companies_ = {};
    if (all.config)
      read(*all.config);
    for (const auto& x : all.applications)
      read(x);
    for (const auto& x : all.executors)
      read(x);
    for (const auto& x : all.drivers)
      read(x);
  }
  for (const auto& batch : update.batches)
    for (const auto& change : *batch)
      std::visit(read, change);
  position_ = update.position;
  return result;
}

std::vector<HistoryChange> HistoryFollower::note(const ReportJobs& x) {
  std::vector<HistoryChange> result;
  auto app = applications_.find(x.app_id);
  if (app == applications_.end())
    return result;
  Reader reader{*this, result};
  for (const auto& stage : x.stages) {
    if (!stage.ended_ms || !stage.started_ms)
      continue;
    auto [i, added] = app->second.stages.try_emplace(stage.id, *stage.ended_ms);
    if (!added && i->second == *stage.ended_ms)
      continue;
    i->second = *stage.ended_ms;
    HistoryEntry entry;
    entry.kind = HistoryKind::stage;
    entry.id = stage_id_text(x.app_id, stage.id);
    entry.app_id = x.app_id;
    entry.name = stage.name;
    entry.state = to_string(stage.status);
    entry.submitted_ms = *stage.started_ms;
    entry.started_ms = stage.started_ms;
    entry.ended_ms = *stage.ended_ms;
    entry.parts = stage.tasks;
    entry.failed_parts = stage.failed;
    entry.core_ms = std::clamp(stage.core_ms, std::int64_t{0}, most_ms);
    entry.use = plausible(stage.use);
    reader.add_of(app->second, std::move(entry));
  }
  return result;
}

std::vector<MonthlyUse> HistoryFollower::present_use(Instant now) const {
  using Key = std::tuple<std::string, std::optional<std::string>, std::string>;
  std::map<Key, MonthlyUse> sums;
  auto count = [&](const Holder& x) {
    auto company = companies_.find(x.user);
    for (auto& [month, use] :
         use_by_month(x.since, now, x.cores, x.memory_mb)) {
      auto& sum = sums[Key{month, company, x.user}];
      sum.month = month;
      sum.company = company;
      sum.user = x.user;
      stoker::add(sum, use);
    }
  };
  for (const auto& [id, x] : executors_)
    count(x);
  for (const auto& [id, x] : drivers_)
    count(x);
  std::vector<MonthlyUse> result;
  for (auto& [key, use] : sums)
    result.push_back(std::move(use));
  return result;
}

} // namespace stoker
