#include "pages/applications.hpp"

#include <string>
#include <utility>

#include "pages/links.hpp"
#include "scheduling/common/remark.hpp"

namespace stoker::pages {

namespace {

std::string instances_text(const ApplicationInfo& x) {
  return x.instances ? std::to_string(x.instances_done) + " of "
                           + std::to_string(*x.instances)
                     : std::string{};
}

/// Of one that has ended it would always be 0.
Cell cores_cell(const ApplicationInfo& x) {
  return x.ended_ms ? Cell{} : number(std::int64_t{x.cores_granted});
}

} // namespace

Table applications_table(const std::vector<ApplicationInfo>& applications,
                         Paging paging, std::int64_t now_ms) {
  Table result;
  result.head = {"Application",    "Name",      "User",    "State",  "Cores",
                 "Instances done", "Submitted", "Elapsed", "Message"};
  result.empty = "There is none.";
  result.paging = std::move(paging);
  for (const auto& x : applications)
    result.rows.push_back(
        {x.id.value,
         {link_to(x.id), text(x.name), text(x.user), state(to_string(x.state)),
          cores_cell(x), text(instances_text(x)), time(x.submitted_ms),
          elapsed(x.submitted_ms, x.ended_ms, now_ms),
          text(remark_on(x).value_or(""))}});
  return result;
}

std::vector<Fact> facts_of(const ApplicationInfo& x,
                           const ResourceAmounts& resources,
                           std::int64_t now_ms) {
  std::vector<Fact> result{
      {"Name", text(x.name)},
      {"User", text(x.user)},
      {"State", state(to_string(x.state))},
      {"Submitted", time(x.submitted_ms)},
      {"Elapsed", elapsed(x.submitted_ms, x.ended_ms, now_ms)}};
  // What it has and asks for is of no use any more once it has ended.
  auto goes_on = !x.ended_ms;
  if (goes_on)
    result.push_back({"Cores", x.max_cores
                                   ? use(x.cores_granted, *x.max_cores)
                                   : text(std::to_string(x.cores_granted))});
  if (x.memory_per_executor_mb > 0)
    result.push_back(
        {"Memory of an executor", memory(x.memory_per_executor_mb)});
  if (x.cores_per_executor)
    result.push_back(
        {"Cores of an executor", text(std::to_string(*x.cores_per_executor))});
  for (const auto& [name, amount] : resources)
    result.push_back(
        {"Resource " + name + " of an executor", text(std::to_string(amount))});
  result.push_back(
      {"Executors started in all", text(std::to_string(x.executors_started))});
  if (goes_on && x.executor_limit)
    result.push_back({"Executors that it asks for",
                      text(std::to_string(*x.executor_limit))});
  if (goes_on && x.gang)
    result.push_back(
        {"Executors that start together", text(std::to_string(*x.gang))});
  if (x.instances)
    result.push_back({"Instances done", text(instances_text(x))});
  if (auto remark = remark_on(x))
    result.push_back({"Message", text(*remark)});
  result.push_back(link_to_events(x.id.value));
  result.push_back(link_to_history(x.id.value));
  return result;
}

} // namespace stoker::pages
