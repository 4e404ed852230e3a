#include "tools/stoker/status_text.hpp"

#include <algorithm>

#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string optional_text(const std::optional<std::string>& x) {
  return x.value_or("-");
}

/// "512 MB", or "4.0 GB" from 10 GB on where nobody counts MB.
std::string memory_text(std::int64_t mb) {
  if (mb < 10'240)
    return std::to_string(mb) + " MB";
  return std::to_string(mb / 1024) + '.' + std::to_string(mb % 1024 * 10 / 1024)
         + " GB";
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

void print_workers(std::ostream& out, const MasterStateResponse& state) {
  std::vector<std::string> heading{"ID", "HOST", "STATE", "CORES USED",
                                   "MEMORY USED"};
  auto any_resources
      = std::any_of(state.workers.begin(), state.workers.end(),
                    [](const WorkerInfo& x) { return !x.resources.empty(); });
  if (any_resources)
    heading.emplace_back("RESOURCES USED");
  Rows rows;
  for (const auto& x : state.workers) {
    rows.push_back(
        {to_string(x.id), x.host, to_string(x.state),
         std::to_string(x.cores_used) + " of " + std::to_string(x.cores),
         memory_text(x.memory_used_mb) + " of " + memory_text(x.memory_mb)});
    if (any_resources)
      rows.back().push_back(resources_text(x));
  }
  out << "Workers\n";
  print_table(out, heading, rows);
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

void print_apps(std::ostream& out, const MasterStateResponse& state) {
  Rows rows;
  for (const auto* apps : {&state.active_apps, &state.completed_apps})
    for (const auto& x : *apps)
      rows.push_back({to_string(x.id), x.name, x.user, to_string(x.state),
                      std::to_string(x.cores_granted), instances_text(x),
                      time_text(x.submitted_ms), optional_text(x.message)});
  out << "Applications\n";
  print_table(out,
              {"ID", "NAME", "USER", "STATE", "CORES", "INSTANCES DONE",
               "SUBMITTED", "MESSAGE"},
              rows);
}

void print_executors(std::ostream& out, const MasterStateResponse& state) {
  Rows rows;
  std::size_t started = 0;
  for (const auto* apps : {&state.active_apps, &state.completed_apps})
    for (const auto& app : *apps) {
      started += static_cast<std::size_t>(app.executors_started);
      for (const auto& x : app.executors)
        rows.push_back({to_string(ExecutorId{x.app_id, x.exec_id}),
                        x.index ? std::to_string(*x.index) : "-",
                        to_string(x.worker_id), to_string(x.state),
                        std::to_string(x.cores), memory_text(x.memory_mb),
                        x.exit_status ? std::to_string(*x.exit_status) : "-",
                        optional_text(x.message)});
    }
  auto shown = rows.size();
  out << "Executors\n";
  print_table(
      out,
      {"ID", "INDEX", "WORKER", "STATE", "CORES", "MEMORY", "EXIT", "MESSAGE"},
      rows);
  if (shown < started)
    out << shown << " of " << started
        << " executors that were started; --all shows all that are kept\n";
}

void print_drivers(std::ostream& out, const MasterStateResponse& state) {
  Rows rows;
  for (const auto* drivers : {&state.active_drivers, &state.completed_drivers})
    for (const auto& x : *drivers)
      rows.push_back({to_string(x.id), x.name, x.user, to_string(x.state),
                      x.worker_id ? to_string(*x.worker_id) : "-",
                      std::to_string(x.cores), memory_text(x.memory_mb),
                      optional_text(x.message)});
  out << "Drivers\n";
  print_table(
      out,
      {"ID", "NAME", "USER", "STATE", "WORKER", "CORES", "MEMORY", "MESSAGE"},
      rows);
}

} // namespace

void print_status(std::ostream& out, const MasterStateResponse& state,
                  StatusPart part) {
  out << to_string(state.status) << ' ' << state.master_url << '\n';
  auto shows
      = [&](StatusPart x) { return part == StatusPart::all || part == x; };
  if (shows(StatusPart::workers))
    print_workers(out, state);
  auto with_executors = part == StatusPart::apps_with_executors;
  if (with_executors || shows(StatusPart::apps))
    print_apps(out, state);
  if (with_executors || shows(StatusPart::executors))
    print_executors(out, state);
  if (shows(StatusPart::drivers))
    print_drivers(out, state);
}

} // namespace stoker
