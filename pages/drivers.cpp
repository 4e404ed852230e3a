#include "pages/drivers.hpp"

#include <string>
#include <utility>

#include "pages/links.hpp"
#include "scheduling/common/remark.hpp"

namespace stoker::pages {

namespace {

Cell worker_of(const DriverInfo& x) {
  return x.worker_id ? link_to(*x.worker_id) : text("-");
}

} // namespace

Table drivers_table(const std::vector<DriverInfo>& drivers, Paging paging,
                    std::int64_t now_ms) {
  Table result;
  result.head = {"Driver", "Name",      "User",    "State",    "Worker",
                 "Cores",  "Submitted", "Elapsed", "Restarts", "Message"};
  result.empty = "There is none. Submit one with: stoker submit";
  result.paging = std::move(paging);
  for (const auto& x : drivers)
    result.rows.push_back(
        {x.id.value,
         {link_to(x.id), text(x.name), text(x.user), state(to_string(x.state)),
          worker_of(x), number(std::int64_t{x.cores}), time(x.submitted_ms),
          elapsed(x.submitted_ms, x.ended_ms, now_ms),
          number(std::int64_t{x.restarts}), text(remark_on(x).value_or(""))}});
  return result;
}

std::vector<Fact> facts_of(const DriverInfo& x, std::int64_t now_ms) {
  std::vector<Fact> result{
      {"Name", text(x.name)},
      {"User", text(x.user)},
      {"State", state(to_string(x.state))},
      {"Worker", worker_of(x)},
      {"Submitted", time(x.submitted_ms)},
      {"Elapsed", elapsed(x.submitted_ms, x.ended_ms, now_ms)},
      {"Cores", text(std::to_string(x.cores))},
      {"Memory", memory(x.memory_mb)},
      {"Started again after it fails", text(x.supervise ? "yes" : "no")},
      {"Restarts", text(std::to_string(x.restarts))}};
  if (x.max_restarts)
    result.push_back(
        {"Restarts at most", text(std::to_string(*x.max_restarts))});
  if (x.exit_status)
    result.push_back({"Exit status", text(std::to_string(*x.exit_status))});
  if (x.relaunched_as)
    result.push_back({"Goes on as", link_to(*x.relaunched_as)});
  if (auto remark = remark_on(x))
    result.push_back({"Message", text(*remark)});
  result.push_back(link_to_events(x.id.value));
  result.push_back(link_to_history(x.id.value));
  return result;
}

} // namespace stoker::pages
