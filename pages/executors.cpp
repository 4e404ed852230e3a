#include "pages/executors.hpp"

#include <utility>

#include "pages/links.hpp"

namespace stoker::pages {

namespace {

std::string exit_text(const ExecutorInfo& x) {
  return x.exit_status ? std::to_string(*x.exit_status) : std::string{};
}

} // namespace

Table executors_table(const std::vector<ExecutorInfo>& executors,
                      ExecutorsOf of, Paging paging, std::int64_t now_ms) {
  auto of_application = of == ExecutorsOf::application;
  Table result;
  result.title = "Executors";
  result.head
      = {"Executor", "Instance", of_application ? "Worker" : "Application",
         "State",    "Cores",    "Memory",
         "Started",  "Elapsed",  "Exit status",
         "Message"};
  result.empty = "There is none.";
  result.paging = std::move(paging);
  for (const auto& x : executors) {
    ExecutorId id{x.app_id, x.exec_id};
    result.rows.push_back(
        {to_string(id),
         {link_to(id), number(x.index),
          of_application ? link_to(x.worker_id) : link_to(x.app_id),
          state(to_string(x.state), x.exit_status),
          number(std::int64_t{x.cores}), memory(x.memory_mb),
          time(x.launched_ms), elapsed(x.launched_ms, x.ended_ms, now_ms),
          text(exit_text(x)), text(x.message.value_or(""))}});
  }
  return result;
}

std::vector<Fact> facts_of(const ExecutorInfo& x,
                           const ApplicationDescription& of,
                           std::int64_t now_ms) {
  std::vector<Fact> result{
      {"Application", link_to(x.app_id)},
      {"Name", text(of.name)},
      {"User", text(of.user)},
      {"Worker", link_to(x.worker_id)},
      {"Host", text(x.host)},
      {"State", state(to_string(x.state), x.exit_status)},
      {"Started", time(x.launched_ms)},
      {"Elapsed", elapsed(x.launched_ms, x.ended_ms, now_ms)},
      {"Cores", text(std::to_string(x.cores))},
      {"Memory", memory(x.memory_mb)}};
  if (x.index)
    result.push_back({"Instance", text(std::to_string(*x.index))});
  for (const auto& [name, addresses] : x.resources) {
    std::string list;
    for (const auto& address : addresses)
      list += (list.empty() ? "" : ", ") + address;
    result.push_back({"Resource " + name, text(list)});
  }
  if (x.exit_status)
    result.push_back({"Exit status", text(exit_text(x))});
  if (x.message)
    result.push_back({"Message", text(*x.message)});
  auto id = to_string(ExecutorId{x.app_id, x.exec_id});
  result.push_back(link_to_events(id));
  result.push_back(link_to_history(id));
  return result;
}

} // namespace stoker::pages
