#include "tools/stoker/queues_text.hpp"

#include <algorithm>

#include "messages/printable.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/planning/queue_report.hpp"
#include "tools/stoker/planning_text.hpp"
#include "tools/stoker/table.hpp"

namespace stoker {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string place_text(int place) {
  return place == 0 ? "-" : std::to_string(place);
}

std::string percent(const std::optional<double>& share) {
  if (!share)
    return "-";
  return format_percent(*share);
}

std::string amount(const Resources& x) {
  return std::to_string(x.cores) + " / " + format_memory(x.memory_mb);
}

std::string cap(const CompanyView& x) {
  if (!x.max_cores && !x.max_memory_mb)
    return "-";
  return (x.max_cores ? std::to_string(*x.max_cores) : "-") + " / "
         + (x.max_memory_mb ? format_memory(*x.max_memory_mb) : "-");
}

std::vector<std::string> figures(const TenantFigures& x) {
  return {amount(x.requested), amount(x.running), std::to_string(x.admitted),
          std::to_string(x.queued)};
}

std::string programs_in(const std::vector<WaitingApplication>& list) {
  auto any_driver = std::any_of(list.begin(), list.end(), [](const auto& x) {
    return x.driver_id.has_value();
  });
  return any_driver ? "Applications and drivers" : "Applications";
}

void append(std::vector<std::string>& row, std::vector<std::string> more) {
  row.insert(row.end(), more.begin(), more.end());
}

void print_tenants(std::ostream& out, const TenantsView& tenants) {
  Rows rows;
  for (const auto& company : tenants.companies) {
    std::vector<std::string> row{
        name_cell(company.name), place_text(company.place),
        percent(company.share), amount(company.purchased), cap(company)};
    append(row, figures(company.figures));
    row.push_back(company.blocked);
    rows.push_back(row);
    for (const auto& user : company.users) {
      row = {"  " + name_cell(user.name), place_text(user.place),
             percent(user.share), "", ""};
      append(row, figures(user.figures));
      row.push_back(user.blocked);
      rows.push_back(row);
    }
  }
  out << "Companies and users (cores / memory)\n";
  print_table(out,
              {"NAME", "NEXT", "SHARE", "PURCHASED", "CAP", "REQUESTED",
               "RUNNING", "ADMITTED", "QUEUED", "BLOCKED BECAUSE"},
              rows);
}

} // namespace

void print_queues(std::ostream& out, const QueuesResponse& queues) {
  if (queues.tenants) {
    print_tenants(out, *queues.tenants);
    out << printable(room_sentence(queues)) << "\n\n";
  }
  Rows rows;
  int position = 0;
  for (const auto& x : queues.admitted)
    rows.push_back({std::to_string(++position), id_text(x), name_cell(x.name),
                    name_cell(x.user), std::to_string(x.executors),
                    std::to_string(x.cores),
                    cores_wanted_text(x.cores_wanted)});
  out << programs_in(queues.admitted) << " that are served, in this order\n";
  print_table(
      out,
      {"POSITION", "ID", "NAME", "USER", "EXECUTORS", "CORES", "CORES WANTED"},
      rows);
  auto shown = static_cast<std::int64_t>(queues.admitted.size());
  if (queues.admitted_in_all > shown)
    out << "and " << queues.admitted_in_all - shown << " more\n";
  if (!queues.tenants)
    return;
  rows.clear();
  auto places = places_in_queues(queues);
  for (const auto& x : queues.queued)
    rows.push_back({std::to_string(places[rows.size()]), id_text(x),
                    name_cell(x.name), name_cell(x.user)});
  out << '\n'
      << programs_in(queues.queued)
      << " that wait in their users' queues, in order of submission\n";
  print_table(out, {"PLACE", "ID", "NAME", "USER"}, rows);
  shown = static_cast<std::int64_t>(queues.queued.size());
  if (queues.queued_in_all > shown)
    out << "and " << queues.queued_in_all - shown << " more\n";
}

} // namespace stoker
