#include "pages/chart.hpp"

#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "messages/printable.hpp"
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
  if (!x.note.empty())
    dictionary.AddSectionDictionary("NOTE")->SetValue("TEXT", x.note);
  dictionary.SetValue("DATA", json::serialize(data));
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
    ++changes[begun];
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
