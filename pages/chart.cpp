#include "pages/chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "messages/printable.hpp"
#include "pages/table.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

namespace {

namespace json = boost::json;

/// So many of them, evenly, and the first and the last one always.
template <class Point>
std::vector<Point> thinned(const std::vector<Point>& points, std::size_t max) {
  if (points.size() <= max)
    return points;
  std::vector<Point> result;
  for (std::size_t i = 0; i < max; ++i)
    result.push_back(points[i * (points.size() - 1) / (max - 1)]);
  return result;
}

/// Rows of a table of values at most, but for the last one.
constexpr std::size_t value_rows_max = 20;

/// Which moments the table has: those of before stay in it until there are twice as many.
std::vector<std::size_t> moments_shown(std::size_t count) {
  std::size_t step = 1;
  while ((count + step - 1) / step > value_rows_max)
    step *= 2;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; i += step)
    result.push_back(i);
  // What is there now is what most look for.
  if (count > 0 && result.back() + 1 < count)
    result.push_back(count - 1);
  return result;
}

Table values_of(const Chart& x) {
  Table result;
  result.head = {"Time"};
  for (const auto& line : x.lines)
    result.head.push_back(printable(line.name));
  result.empty = "There is none yet.";
  if (x.lines.empty())
    return result;
  const auto& first = x.lines.front().points;
  for (auto i : moments_shown(first.size())) {
    auto at = first[i].first;
    Row row{std::to_string(at), {time(at)}};
    for (const auto& line : x.lines)
      row.cells.push_back(number(
          static_cast<std::int64_t>(std::llround(line.points.at(i).second))));
    result.rows.push_back(std::move(row));
  }
  return result;
}

} // namespace

std::string html(const Chart& x) {
  json::array data;
  for (const auto& line : x.lines) {
    json::array points;
    for (const auto& [at, value] : line.points)
      points.push_back(json::array{at, value});
    data.push_back(json::object{{"name", printable(line.name)},
                                {"stepped", line.stepped},
                                {"goes_on", line.goes_on},
                                {"points", std::move(points)}});
  }
  ctemplate::TemplateDictionary dictionary{"chart"};
  dictionary.SetValue("TITLE", x.title);
  dictionary.SetValue("LABEL", x.label);
  if (!x.note.empty()) {
    auto& note = *dictionary.AddSectionDictionary("NOTE");
    note.SetValue("TEXT", x.note);
    if (!x.href_of_history.empty())
      note.AddSectionDictionary("HISTORY")->SetValue("HREF", x.href_of_history);
  }
  dictionary.SetValue("DATA", json::serialize(data));
  dictionary.SetValue("VALUES", html(values_of(x)));
  return expand("chart.html", dictionary);
}

ChartLine count_over_time(
    std::string name,
    const std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>&
        spans,
    std::int64_t begun_ms, std::optional<std::int64_t> ended_ms,
    std::size_t points_max) {
  std::map<std::int64_t, int> changes{{begun_ms, 0}};
  for (const auto& [begun, ended] : spans) {
    if (ended && *ended < begun_ms)
      continue;
    ++changes[std::max(begun, begun_ms)];
    if (ended)
      --changes[*ended];
  }
  std::vector<std::pair<std::int64_t, double>> points;
  int count = 0;
  for (const auto& [at, change] : changes) {
    count += change;
    points.emplace_back(at, count);
  }
  if (ended_ms && points.back().first < *ended_ms)
    points.emplace_back(*ended_ms, count);
  return {std::move(name), thinned(points, points_max), true, !ended_ms};
}

} // namespace stoker::pages
