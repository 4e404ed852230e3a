#include "pages/explanation.hpp"

#include <cstddef>
#include <cstdint>

#include "pages/cells.hpp"
#include "pages/sentence.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker::pages {

namespace {

void add_sentences(std::vector<std::string>& to,
                   const std::vector<std::string>& reasons) {
  for (const auto& x : reasons)
    to.push_back(sentence(x));
}

void add_tasks(std::vector<std::string>& to, const TasksExplanation& x) {
  if (x.jobs == 0)
    to.push_back("No job of it runs.");
  else
    to.push_back(format_count(x.jobs, "job") + " of it "
                 + (x.jobs == 1 ? "runs " : "run ")
                 + format_count(x.running, "task") + " on "
                 + format_count(x.executors, "executor") + '.');
  add_sentences(to, x.reasons);
}

/// Those that hold most of what is missing.
void add_holders(std::vector<std::string>& to, const ExplanationResponse& x) {
  constexpr std::size_t said_max = 3;
  std::size_t said = 0;
  for (const auto& y : x.holders) {
    if (said == said_max)
      break;
    ++said;
    to.push_back(
        (y.driver_id ? "Driver " + to_string(*y.driver_id)
                     : "Application " + to_string(y.app_id.value_or(AppId{})))
        + " '" + y.name + "' of user " + y.user + " holds "
        + format_cores(y.held.cores) + " and " + format_memory(y.held.memory_mb)
        + ", since " + format_time(from_ms(y.since_ms)) + " UTC.");
  }
  if (auto more = x.holders_in_all - static_cast<std::int64_t>(said); more > 0)
    to.push_back(format_count(more, "other application or driver")
                 + " hold the rest.");
}

} // namespace

std::vector<std::string> sentences_of(const ExplanationResponse& x) {
  std::vector<std::string> result;
  add_sentences(result, x.reasons);
  if (!x.remedy.empty())
    result.push_back(
        (x.executors == 0 ? "It starts when " : "Another executor starts when ")
        + x.remedy + '.');
  add_holders(result, x);
  if (x.estimate)
    result.push_back((x.executors == 0
                          ? "It may start in about "
                          : "Its next executor may start in about ")
                     + format_duration(Duration{x.estimate->in_ms}) + ", when "
                     + id_text(*x.estimate) + " ends (guessed from "
                     + x.estimate->basis + ").");
  if (x.tasks)
    add_tasks(result, *x.tasks);
  return result;
}

} // namespace stoker::pages
