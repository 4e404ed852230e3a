#include "pages/explanation.hpp"

#include "pages/sentence.hpp"
#include "scheduling/common/format.hpp"

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

} // namespace

std::vector<std::string> sentences_of(const ExplanationResponse& x) {
  std::vector<std::string> result;
  add_sentences(result, x.reasons);
  if (!x.remedy.empty())
    result.push_back(
        (x.executors == 0 ? "It starts when " : "Another executor starts when ")
        + x.remedy + '.');
  if (x.estimate)
    result.push_back((x.executors == 0
                          ? "It may start in about "
                          : "Its next executor may start in about ")
                     + format_duration(Duration{x.estimate->in_ms}) + ", when "
                     + to_string(x.estimate->after) + " ends (guessed from "
                     + x.estimate->basis + ").");
  if (x.tasks)
    add_tasks(result, *x.tasks);
  return result;
}

} // namespace stoker::pages
