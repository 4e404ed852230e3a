#include "tools/stoker/status_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/common/format.hpp"
#include "scheduling/common/remark.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

std::string optional_text(const std::optional<std::string>& x) {
  return x.value_or("-");
}

/// "1 of 4 gpu", for each name.
std::string resources_text(const WorkerInfo& x) {
  std::string result;
  for (const auto& [name, addresses] : x.resources) {
    auto used = x.resources_used.find(name);
    auto count = used == x.resources_used.end() ? 0 : used->second.size();
    result += (result.empty() ? "" : ", ") + std::to_string(count) + " of "
              + std::to_string(addresses.size()) + ' ' + name;
  }
  return result;
}

/// "3.5.9, 4.1.4 only"
std::string spark_text(const WorkerInfo& x) {
  std::string result;
  for (const auto& version : x.spark_versions)
    result += (result.empty() ? "" : ", ") + version;
  return x.only_spark ? result + " only" : result;
}

/// "1.5 GB of 16.0 GB", "of which 512 MB are reserved" where that is so.
std::string used_text(std::string used, std::int64_t reserved,
                      const std::string& reserved_text,
                      const std::string& total) {
  used += " of " + total;
  return reserved == 0 ? used : used + ", " + reserved_text + " reserved";
}

std::string exit_text(const std::optional<int>& x) {
  return x ? std::to_string(*x) : "-";
}

/// The rows of what is there, and the last of what has ended.
struct Table {
  explicit Table(const StatusView& view) : view_(view) {
  }

  /// @param make The row of one.
  template <class T, class Make>
  void add(const std::vector<T>& present, const std::vector<T>& ended,
           Make make) {
    for (const auto& x : present)
      if (has_room())
        rows.push_back(make(x));
      else
        ++more_present;
    auto room = view_.rows_max - std::min(rows.size(), view_.rows_max);
    auto shown = std::min({ended.size(), view_.ended_max, room});
    more_ended += ended.size() - shown;
    for (auto i = ended.size() - shown; i < ended.size(); ++i)
      rows.push_back(make(ended[i]));
  }

  void print(std::ostream& out, const char* title,
             const std::vector<std::string>& heading) const {
    out << title << '\n';
    print_table(out, heading, rows);
    if (more_present > 0)
      out << "  and " << more_present << " more\n";
    if (more_ended > 0)
      out << "  and " << more_ended << " that ended before\n";
  }

  std::vector<std::vector<std::string>> rows;
  std::size_t more_present = 0;
  std::size_t more_ended = 0;

private:
  [[nodiscard]] bool has_room() const {
    return rows.size() < view_.rows_max;
  }

  const StatusView& view_;
};

void print_workers(std::ostream& out, const MasterStateResponse& state,
                   const StatusView& view) {
  std::vector<std::string> heading{"ID", "HOST", "STATE", "CORES USED",
                                   "MEMORY USED"};
  auto any_resources
      = std::any_of(state.workers.begin(), state.workers.end(),
                    [](const WorkerInfo& x) { return !x.resources.empty(); });
  if (any_resources)
    heading.emplace_back("RESOURCES USED");
  auto any_spark = std::any_of(
      state.workers.begin(), state.workers.end(),
      [](const WorkerInfo& x) { return !x.spark_versions.empty(); });
  if (any_spark)
    heading.emplace_back("SPARK");
  auto row = [&](const WorkerInfo& x) {
    std::vector<std::string> result{
        to_string(x.id), x.host, to_string(x.state),
        used_text(std::to_string(x.cores_used), x.cores_reserved,
                  std::to_string(x.cores_reserved), std::to_string(x.cores)),
        used_text(memory_text(x.memory_used_mb), x.memory_reserved_mb,
                  memory_text(x.memory_reserved_mb), memory_text(x.memory_mb))};
    if (any_resources)
      result.push_back(resources_text(x));
    if (any_spark)
      result.push_back(spark_text(x));
    return result;
  };
  auto shows_dead = view.ended_max == std::numeric_limits<std::size_t>::max();
  std::vector<WorkerInfo> present;
  std::size_t dead = 0;
  for (const auto& x : state.workers)
    if (x.state == WorkerState::DEAD && !shows_dead)
      ++dead;
    else
      present.push_back(x);
  Table table{view};
  table.add(present, {}, row);
  table.print(out, "Workers", heading);
  // Lost, or left in good order.
  if (dead > 0)
    out << "  and "
        << format_count(static_cast<std::int64_t>(dead), "dead worker") << '\n';
  for (const auto& x : state.workers)
    if (x.problem)
      out << to_string(x.id) << " is given nothing for a while: " << *x.problem
          << '\n';
}

/// "3 of 10"
std::string instances_text(const ApplicationInfo& x) {
  return x.instances ? std::to_string(x.instances_done) + " of "
                           + std::to_string(*x.instances)
                     : "-";
}

void print_apps(std::ostream& out, const MasterStateResponse& state,
                const StatusView& view) {
  Table table{view};
  table.add(state.active_apps, state.completed_apps,
            [&](const ApplicationInfo& x) {
              return std::vector<std::string>{
                  to_string(x.id),
                  name_cell(x.name),
                  name_cell(x.user),
                  to_string(x.state),
                  std::to_string(x.cores_granted),
                  instances_text(x),
                  time_text(x.submitted_ms),
                  elapsed_text(x.submitted_ms, x.ended_ms, view.now_ms),
                  optional_text(remark_on(x))};
            });
  table.print(out, "Applications",
              {"ID", "NAME", "USER", "STATE", "CORES", "INSTANCES DONE",
               "SUBMITTED", "ELAPSED", "MESSAGE"});
}

void print_executors(std::ostream& out, const MasterStateResponse& state,
                     const StatusView& view) {
  std::size_t started = 0;
  std::vector<ExecutorInfo> present;
  std::vector<ExecutorInfo> ended;
  for (const auto* apps : {&state.active_apps, &state.completed_apps})
    for (const auto& app : *apps) {
      started += static_cast<std::size_t>(app.executors_started);
      for (const auto& x : app.executors)
        (x.ended_ms ? ended : present).push_back(x);
    }
  auto shown = present.size() + ended.size();
  Table table{view};
  table.add(present, ended, [&](const ExecutorInfo& x) {
    return std::vector<std::string>{
        to_string(ExecutorId{x.app_id, x.exec_id}),
        x.index ? std::to_string(*x.index) : "-",
        to_string(x.worker_id),
        to_string(x.state),
        std::to_string(x.cores),
        memory_text(x.memory_mb),
        elapsed_text(x.launched_ms, x.ended_ms, view.now_ms),
        exit_text(x.exit_status),
        optional_text(x.message)};
  });
  table.print(out, "Executors",
              {"ID", "INSTANCE", "WORKER", "STATE", "CORES", "MEMORY",
               "ELAPSED", "EXIT", "MESSAGE"});
  if (shown < started)
    out << shown << " of " << started
        << " executors that their applications have started; --all shows all "
           "that are kept\n";
}

/// "RUNNING, restarted 3 times"
std::string state_text(const DriverInfo& x) {
  auto result = to_string(x.state);
  if (x.restarts > 0)
    result += ", restarted " + format_count(x.restarts, "time");
  return result;
}

void print_drivers(std::ostream& out, const MasterStateResponse& state,
                   const StatusView& view) {
  Table table{view};
  table.add(state.active_drivers, state.completed_drivers,
            [&](const DriverInfo& x) {
              return std::vector<std::string>{
                  to_string(x.id),
                  name_cell(x.name),
                  name_cell(x.user),
                  state_text(x),
                  x.worker_id ? to_string(*x.worker_id) : "-",
                  std::to_string(x.cores),
                  memory_text(x.memory_mb),
                  elapsed_text(x.submitted_ms, x.ended_ms, view.now_ms),
                  exit_text(x.exit_status),
                  optional_text(remark_on(x))};
            });
  table.print(out, "Drivers",
              {"ID", "NAME", "USER", "STATE", "WORKER", "CORES", "MEMORY",
               "ELAPSED", "EXIT", "MESSAGE"});
}

} // namespace

void print_status(std::ostream& out, const MasterStateResponse& state,
                  const StatusView& view) {
  out << to_string(state.status) << ' ' << state.master_url << '\n';
  if (view.workers)
    print_workers(out, state, view);
  if (view.applications)
    print_apps(out, state, view);
  if (view.executors)
    print_executors(out, state, view);
  if (view.drivers)
    print_drivers(out, state, view);
}

} // namespace stoker
