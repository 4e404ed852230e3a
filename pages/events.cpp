#include "pages/events.hpp"

#include <utility>

namespace stoker::pages {

Table events_table(const std::vector<EventRow>& events, Paging paging) {
  Table result;
  result.head = {"Time", "Event", "Of", "Decision"};
  result.empty = "Nothing has happened since this master began to look.";
  result.paging = std::move(paging);
  for (const auto& x : events)
    result.rows.push_back(
        {"event-" + std::to_string(x.number),
         {time(x.at_ms), x.is_warning ? state(x.event) : text(x.event),
          text(x.fields), text(x.decision)}});
  return result;
}

} // namespace stoker::pages
