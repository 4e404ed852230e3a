#include "pages/links.hpp"

namespace stoker::pages {

std::string href_of_events(const std::string& id) {
  return "/events?of=" + url_encoded(id);
}

std::string href_of_history(const std::string& id) {
  return "/history?id=" + url_encoded(id);
}

Fact link_to_events(const std::string& id) {
  return {"What happened to it", link_to("events", href_of_events(id))};
}

Fact link_to_history(const std::string& id) {
  return {"What is kept of it", link_to("history", href_of_history(id))};
}

} // namespace stoker::pages
