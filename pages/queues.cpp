#include "pages/queues.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pages/sentence.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/planning/queue_report.hpp"

namespace stoker::pages {

namespace {

Cell place_of(int x) {
  return x == 0 ? text("-") : text(std::to_string(x));
}

Cell share_of(const std::optional<double>& x) {
  if (!x)
    return text("-");
  constexpr double whole = 1000;
  auto result = use(static_cast<std::int64_t>(*x * whole),
                    static_cast<std::int64_t>(whole));
  result.text = format_percent(*x);
  return result;
}

Cell amount(const Resources& x) {
  return text(format_cores(x.cores) + ", " + memory_text(x.memory_mb));
}

Cell cap_of(const CompanyView& x) {
  std::string result;
  if (x.max_cores)
    result = format_cores(*x.max_cores);
  if (x.max_memory_mb)
    result += (result.empty() ? "" : ", ") + memory_text(*x.max_memory_mb);
  return text(result.empty() ? "-" : result);
}

void add_figures(std::vector<Cell>& to, const TenantFigures& x) {
  to.push_back(amount(x.running));
  to.push_back(amount(x.requested));
  to.push_back(number(x.admitted));
  to.push_back(number(x.queued));
}

Cell link_to_program(const WaitingApplication& x) {
  return x.driver_id ? link_to(*x.driver_id) : link_to(x.id);
}

std::vector<Cell> cells_of(const WaitingApplication& x) {
  return {link_to_program(x),
          text(x.name),
          text(x.user),
          number(std::int64_t{x.executors}),
          number(std::int64_t{x.cores}),
          cores_wanted(x.cores_wanted)};
}

struct PlaceOfUser {
  const CompanyView* company = nullptr;
  const UserView* user = nullptr;
};
using PlacesOfUsers = std::map<std::string, PlaceOfUser>;

PlacesOfUsers places_of(const TenantsView& x) {
  PlacesOfUsers result;
  for (const auto& company : x.companies)
    for (const auto& user : company.users)
      result[user.name] = {&company, &user};
  return result;
}

/// What keeps the applications of a user, and when he is asked.
std::string why_queued(const TenantsView& tenants, const PlaceOfUser& x) {
  const auto& why = !x.user->blocked.empty()      ? x.user->blocked
                    : !x.company->blocked.empty() ? x.company->blocked
                                                  : tenants.full;
  auto turn = "user " + x.user->name + " is number "
              + std::to_string(x.user->place) + " of company " + x.company->name
              + ", which is number " + std::to_string(x.company->place);
  return sentence(why.empty() ? "others come before it" : why) + ' '
         + sentence(turn);
}

void say_what_is_missing(Table& in, std::int64_t in_all) {
  auto missing = in_all - std::ssize(in.rows);
  if (missing > 0)
    in.title += " (and " + std::to_string(missing) + " more)";
}

} // namespace

Table companies_table(const TenantsView& x) {
  Table result;
  result.title = "Companies and users";
  result.head
      = {"Name",   "Turn",      "Share",    "Purchased", "Cap",
         "In use", "Requested", "Admitted", "Queued",    "Waits because"};
  result.empty = "There is none.";
  for (const auto& company : x.companies) {
    std::vector<Cell> cells{text(company.name), place_of(company.place),
                            share_of(company.share), amount(company.purchased),
                            cap_of(company)};
    add_figures(cells, company.figures);
    cells.push_back(sentence_text(company.blocked));
    result.rows.push_back({"company " + company.name, std::move(cells)});
    for (const auto& user : company.users) {
      cells = {text("\u2003" + user.name), place_of(user.place),
               share_of(user.share), text(""), text("")};
      add_figures(cells, user.figures);
      cells.push_back(sentence_text(user.blocked));
      result.rows.push_back(
          {"user " + company.name + ' ' + user.name, std::move(cells)});
    }
  }
  return result;
}

Table served_table(const QueuesResponse& x) {
  Table result;
  result.title = "Served in this order";
  result.head = {"Program",   "Name",  "User",
                 "Executors", "Cores", "Cores that it waits for"};
  result.empty = "Nothing runs or waits.";
  for (const auto& app : x.admitted)
    result.rows.push_back({id_text(app), cells_of(app)});
  say_what_is_missing(result, x.admitted_in_all);
  return result;
}

Table queued_table(const QueuesResponse& x,
                   const std::map<std::string, QueuedRequest>& requests,
                   std::int64_t now_ms) {
  Table result;
  result.title = "Waiting in the queues of their users";
  result.head = {"Program", "Name",   "User",       "Place in queue", "Company",
                 "Cores",   "Memory", "Has waited", "Waits because"};
  result.empty = "None waits.";
  auto places = x.tenants ? places_of(*x.tenants) : PlacesOfUsers{};
  auto in_queue = places_in_queues(x);
  for (const auto& app : x.queued) {
    std::vector<Cell> cells{link_to_program(app), text(app.name),
                            text(app.user),
                            number(std::int64_t{in_queue[result.rows.size()]})};
    auto place = places.find(app.user);
    auto known = place != places.end();
    cells.push_back(text(known ? place->second.company->name : ""));
    auto request = requests.find(id_text(app));
    if (request == requests.end()) {
      cells.insert(cells.end(), 3, Cell{});
    } else {
      cells.push_back(number(request->second.asked.cores));
      cells.push_back(memory(request->second.asked.memory_mb));
      cells.push_back(
          elapsed(request->second.submitted_ms, std::nullopt, now_ms));
    }
    cells.push_back(
        sentence_text(known ? why_queued(*x.tenants, place->second) : ""));
    result.rows.push_back({id_text(app), std::move(cells)});
  }
  say_what_is_missing(result, x.queued_in_all);
  return result;
}

} // namespace stoker::pages
