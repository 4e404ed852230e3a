#include "web/page_charts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/instant.hpp"
#include "pages/chart.hpp"
#include "pages/links.hpp"
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

} // namespace

std::optional<pages::Forgotten> forgotten_executors(const ApplicationInfo& x) {
  auto started = static_cast<std::size_t>(std::max(0, x.executors_started));
  if (started <= x.executors.size())
    return std::nullopt;
  return pages::Forgotten{started - x.executors.size(),
                          pages::href_of_history(x.id.value)};
}

std::string executors_chart(const ApplicationInfo& x,
                            std::optional<std::int64_t> first_end_ms) {
  constexpr const char* title = "Executors over time";
  auto forgotten = forgotten_executors(x);
  auto begun_ms = forgotten ? first_end_ms : std::optional{x.submitted_ms};
  if (!begun_ms || (forgotten && x.ended_ms && *x.ended_ms <= *begun_ms)) {
    pages::Table nothing;
    nothing.title = title;
    nothing.empty = "There is no time of which all executors are kept.";
    nothing.forgotten = forgotten;
    return html(nothing);
  }
  std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> spans;
  for (const auto& executor : x.executors)
    spans.emplace_back(executor.launched_ms, executor.ended_ms);
  pages::Chart chart{title,
                     "How many executors it had over time",
                     {},
                     {pages::count_over_time("executors", spans, *begun_ms,
                                             x.ended_ms, chart_points_max)}};
  if (forgotten) {
    chart.note
        = "It begins with the first end that is kept: " + forgotten->text();
    chart.href_of_history = forgotten->href;
  }
  return html(chart);
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
