#include "pages/applications.hpp"

#include <string>
#include <utility>

#include "scheduling/common/remark.hpp"

namespace stoker::pages {

namespace {

std::string instances_text(const ApplicationInfo& x) {
  return x.instances ? std::to_string(x.instances_done) + " of "
                           + std::to_string(*x.instances)
                     : std::string{};
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
          number(std::int64_t{x.cores_granted}), text(instances_text(x)),
          time(x.submitted_ms), elapsed(x.submitted_ms, x.ended_ms, now_ms),
          text(remark_on(x).value_or(""))}});
  return result;
}

std::vector<Fact> facts_of(const ApplicationInfo& x, std::int64_t now_ms) {
  std::vector<Fact> result{
      {"Name", text(x.name)},
      {"User", text(x.user)},
      {"State", state(to_string(x.state))},
      {"Submitted", time(x.submitted_ms)},
      {"Elapsed", elapsed(x.submitted_ms, x.ended_ms, now_ms)},
      {"Cores", x.max_cores ? use(x.cores_granted, *x.max_cores)
                            : text(std::to_string(x.cores_granted))},
      {"Memory of an executor", memory(x.memory_per_executor_mb)},
      {"Executors started in all", text(std::to_string(x.executors_started))}};
  if (x.cores_per_executor)
    result.push_back(
        {"Cores of an executor", text(std::to_string(*x.cores_per_executor))});
  if (x.executor_limit)
    result.push_back({"Executors that it asks for",
                      text(std::to_string(*x.executor_limit))});
  if (x.gang)
    result.push_back(
        {"Executors that start together", text(std::to_string(*x.gang))});
  if (x.instances)
    result.push_back({"Instances done", text(instances_text(x))});
  if (auto remark = remark_on(x))
    result.push_back({"Message", text(*remark)});
  return result;
}

} // namespace stoker::pages
