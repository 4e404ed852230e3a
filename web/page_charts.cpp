#include "web/page_charts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/instant.hpp"
#include "pages/chart.hpp"
#include "pages/table.hpp"

namespace stoker {

namespace {

constexpr std::size_t chart_points_max = 300;

/// Which companies have no line of their own.
std::string shares_note(const ShareHistory::Lines& x) {
  if (x.companies_added_up == 0)
    return {};
  return "Of " + std::to_string(x.companies_in_all) + " companies no more than "
         + std::to_string(x.companies_in_all - x.companies_added_up)
         + " have a line each: none of the others has used more. The last line "
           "adds up all other use.";
}

/// Executors that are not kept any more.
std::int64_t forgotten_of(const ApplicationInfo& x) {
  return x.executors_started - std::ssize(x.executors);
}

/// When the first ended of those that are kept. What is not kept had ended by then:
/// executors are forgotten in the order of their ends, but for lost ones, which may come
/// back (EndedExecutors). Nothing: none that ended is kept.
std::optional<std::int64_t> first_end_of(const ApplicationInfo& x) {
  std::optional<std::int64_t> result;
  for (const auto& executor : x.executors)
    if (executor.ended_ms && executor.state != ExecutorState::LOST)
      result
          = std::min(*executor.ended_ms, result.value_or(*executor.ended_ms));
  return result;
}

} // namespace

std::string executors_chart(const ApplicationInfo& x) {
  static const std::string title = "Executors over time";
  auto forgotten = forgotten_of(x);
  auto known_from = forgotten > 0 ? first_end_of(x) : x.submitted_ms;
  if (!known_from)
    return pages::sentences_html(
        title, {"Of " + std::to_string(x.executors_started)
                + " executors none that ended is kept here any more: the "
                  "history has them."});
  std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> spans;
  for (const auto& executor : x.executors)
    if (executor.ended_ms.value_or(*known_from) >= *known_from)
      spans.emplace_back(std::max(executor.launched_ms, *known_from),
                         executor.ended_ms);
  std::string note;
  if (forgotten > 0)
    note = "The chart begins when " + std::to_string(forgotten)
           + " executors had ended that are not kept here any more: the "
             "history has them.";
  return html(
      pages::Chart{title,
                   "How many executors it had over time",
                   std::move(note),
                   {pages::count_over_time("executors", spans, *known_from,
                                           x.ended_ms, chart_points_max)}});
}

std::string shares_chart(const ShareHistory& history) {
  const auto& shown = history.lines();
  if (shown.lines.empty())
    return {};
  pages::Chart chart{"Cores in use over time",
                     "Cores in use over time, by company",
                     shares_note(shown),
                     {}};
  for (const auto& x : shown.lines) {
    auto& line = chart.lines.emplace_back();
    line.name = x.name;
    line.stepped = line.goes_on = true;
    for (std::size_t i = 0; i < x.cores.size(); ++i)
      line.points.emplace_back(to_ms(history.samples()[i].at), x.cores[i]);
  }
  return html(chart);
}

} // namespace stoker
