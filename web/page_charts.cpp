#include "web/page_charts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "messages/instant.hpp"
#include "pages/chart.hpp"

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

} // namespace

std::string executors_chart(const ApplicationInfo& x) {
  std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> spans;
  for (const auto& executor : x.executors)
    spans.emplace_back(executor.launched_ms, executor.ended_ms);
  return html(
      pages::Chart{"Executors over time",
                   "How many executors it had over time",
                   {},
                   {pages::count_over_time("executors", spans, x.submitted_ms,
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
