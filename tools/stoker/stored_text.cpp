#include "tools/stoker/stored_text.hpp"

#include <cmath>

#include "messages/json.hpp"
#include "messages/printable.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string instant_text(Instant x) {
  return time_text(to_ms(x));
}

std::string instant_text(const std::optional<Instant>& x) {
  return x ? instant_text(*x) : "-";
}

std::string text(std::int64_t x) {
  return std::to_string(x);
}

void print_workers(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.workers)
    rows.push_back({x.id.value, x.host + ':' + text(x.port), to_string(x.state),
                    text(x.cores), text(x.memory_mb) + " MB"});
  out << "Workers\n";
  print_table(out, {"ID", "ADDRESS", "STATE", "CORES", "MEMORY"}, rows);
}

void print_applications(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.applications)
    rows.push_back({x.id.value, x.description.name, x.description.user,
                    to_string(x.state), instant_text(x.submitted),
                    instant_text(x.ended)});
  out << "Applications\n";
  print_table(out, {"ID", "NAME", "USER", "STATE", "SUBMITTED", "ENDED"}, rows);
}

void print_instances(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.instances)
    rows.push_back({x.app_id.value, text(x.index), x.done ? "yes" : "no",
                    text(x.failures)});
  out << "Instances\n";
  print_table(out, {"APPLICATION", "INDEX", "DONE", "FAILURES"}, rows);
}

void print_executors(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.executors)
    rows.push_back({to_string(ExecutorId{x.app_id, x.exec_id}),
                    x.worker_id.value, to_string(x.state), text(x.cores),
                    text(x.memory_mb) + " MB", instant_text(x.launched),
                    x.ending ? "ending" : instant_text(x.ended)});
  out << "Executors\n";
  print_table(out,
              {"ID", "WORKER", "STATE", "CORES", "MEMORY", "LAUNCHED", "ENDED"},
              rows);
}

void print_drivers(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.drivers)
    rows.push_back({x.id.value, x.description.name, x.description.user,
                    to_string(x.state), x.worker_id ? x.worker_id->value : "-",
                    instant_text(x.submitted), instant_text(x.ended)});
  out << "Drivers\n";
  print_table(out,
              {"ID", "NAME", "USER", "STATE", "WORKER", "SUBMITTED", "ENDED"},
              rows);
}

void print_tenants(std::ostream& out, const StoredState& state) {
  Rows rows;
  for (const auto& x : state.companies)
    rows.push_back({x.name, text(std::llround(x.usage_cores)),
                    text(std::llround(x.usage_memory_mb)) + " MB",
                    time_text(x.usage_at_ms), std::to_string(x.selected)});
  out << "Companies\n";
  print_table(out, {"NAME", "CORES", "MEMORY", "USAGE AS OF", "SERVED"}, rows);
  rows.clear();
  for (const auto& x : state.users)
    rows.push_back({x.name, std::to_string(x.selected)});
  out << "\nUsers\n";
  print_table(out, {"NAME", "SERVED"}, rows);
}

struct StoredPart {
  const char* name;
  void (*print)(std::ostream&, const StoredState&);

  /// Members of a StoredState.
  std::vector<const char*> members;
};

const std::vector<StoredPart>& parts() {
  static const std::vector<StoredPart> result{
      {"workers", print_workers, {"workers"}},
      {"applications", print_applications, {"applications"}},
      {"instances", print_instances, {"instances"}},
      {"executors", print_executors, {"executors"}},
      {"drivers", print_drivers, {"drivers"}},
      {"tenants", print_tenants, {"companies", "users"}},
  };
  return result;
}

} // namespace

const std::vector<std::string>& stored_tables() {
  static const auto result = [] {
    std::vector<std::string> names;
    for (const auto& x : parts())
      names.emplace_back(x.name);
    return names;
  }();
  return result;
}

void print_stored(std::ostream& out, const StoredView& view,
                  const std::string& table) {
  const auto& leader = view.leader;
  if (leader.epoch.value == 0)
    out << "No master has led yet\n";
  else
    out << "Epoch " << leader.epoch.value << ", led by "
        << printable(leader.master_url) << " since "
        << time_text(leader.since_ms) << '\n';
  for (const auto& x : view.unreadable)
    out << "Cannot be read: " << printable(x) << '\n';
  for (const auto& part : parts()) {
    if (!table.empty() && table != part.name)
      continue;
    out << '\n';
    part.print(out, view.state);
  }
}

boost::json::object stored_to_json(const StoredView& view,
                                   const std::string& table) {
  boost::json::object result{
      {"version", view.version},
      {"epoch", view.leader.epoch.value},
      {"master_url", view.leader.master_url},
      {"since_ms", view.leader.since_ms},
      {"unreadable", to_json(view.unreadable)},
  };
  auto state = to_json(view.state);
  auto& members = state.as_object();
  if (table.empty()) {
    for (auto& member : members)
      result[member.key()] = std::move(member.value());
    return result;
  }
  for (const auto& part : parts())
    if (table == part.name)
      for (const auto* name : part.members)
        result[name] = std::move(members.at(name));
  return result;
}

} // namespace stoker
