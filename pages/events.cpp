#include "pages/events.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scheduling/common/units.hpp"

namespace stoker::pages {

namespace {

/// What stands behind `NAME=` in the next field, which is taken away. Nothing: another
/// field is next, or its value is in quotes.
std::optional<std::string> take_field(std::string_view& fields,
                                      std::string_view name) {
  auto field = fields.substr(0, fields.find(' '));
  auto begin = std::string{name} + '=';
  if (!field.starts_with(begin) || field.find('"') != std::string_view::npos)
    return std::nullopt;
  fields.remove_prefix(std::min(field.size() + 1, fields.size()));
  return std::string{field.substr(begin.size())};
}

/// Leads to what it is of.
Cell subject_of(std::string_view fields) {
  if (auto worker = take_field(fields, "worker"))
    return link_to(WorkerId{*std::move(worker)});
  if (auto driver = take_field(fields, "driver"))
    return link_to(DriverId{*std::move(driver)});
  auto app = take_field(fields, "app");
  if (!app)
    return {};
  if (auto number = take_field(fields, "executor"))
    if (auto exec_id = parse_count(*number))
      return link_to(ExecutorId{AppId{*std::move(app)}, *exec_id});
  return link_to(AppId{*std::move(app)});
}

} // namespace

Table events_table(const std::vector<EventRow>& events, Paging paging) {
  Table result;
  result.head = {"Time", "Event", "Of", "Fields", "Decision"};
  result.empty = "Nothing has happened since this master began to look.";
  result.paging = std::move(paging);
  for (const auto& x : events)
    result.rows.push_back(
        {"event-" + std::to_string(x.number),
         {time(x.at_ms), x.is_warning ? state(x.event) : text(x.event),
          subject_of(x.fields), sentence_text(x.fields),
          sentence_text(x.decision)}});
  return result;
}

} // namespace stoker::pages
