#include "pages/page.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "messages/printable.hpp"
#include "pages/cells.hpp"
#include "pages/embedded.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

namespace {

using ctemplate::TemplateDictionary;

/// What every page leads to.
constexpr std::array<std::pair<const char*, const char*>, 9> places{
    {{"/", "Cluster"},
     {"/workers", "Workers"},
     {"/applications", "Applications"},
     {"/drivers", "Drivers"},
     {"/jobs", "Jobs"},
     {"/queues", "Queues"},
     {"/history", "History"},
     {"/events", "Events"},
     {"/plan", "Plan"}}};

/// For who does not see where a section begins.
std::string label_of(const std::string& id) {
  if (id == "stdout")
    return "Standard output";
  if (id == "stderr")
    return "Standard error";
  auto result = id;
  if (!result.empty() && result.front() >= 'a' && result.front() <= 'z')
    result.front() = static_cast<char>(result.front() - 'a' + 'A');
  return result;
}

} // namespace

std::string html(const Page& page, const Frame& frame) {
  TemplateDictionary dictionary{"frame"};
  dictionary.SetValue("TITLE", printable(page.title));
  dictionary.SetValue("HEADING", printable(page.title));
  dictionary.SetValue("STATUS", to_string(frame.status));
  if (!frame.master_url.empty())
    dictionary.AddSectionDictionary("MASTER")->SetValue("URL",
                                                        frame.master_url);
  dictionary.SetValue("VERSION", assets_version());
  dictionary.SetValue("NOW", utc_text(frame.now_ms));
  if (page.has_charts)
    dictionary.ShowSection("CHARTS");
  if (!frame.user.empty())
    dictionary.AddSectionDictionary("USER")->SetValue("NAME",
                                                      printable(frame.user));
  if (frame.has_session)
    dictionary.ShowSection("SESSION");
  for (const auto& [href, name] : places) {
    auto& place = *dictionary.AddSectionDictionary("PLACE");
    place.SetValue("HREF", href);
    place.SetValue("NAME", name);
    if (frame.path == href)
      place.ShowSection("HERE");
  }
  for (const auto& x : page.sections) {
    auto& section = *dictionary.AddSectionDictionary("SECTION");
    section.SetValue("ID", x.id);
    section.SetValue("LABEL", label_of(x.id));
    section.SetValue("HTML", x.html);
    if (x.is_live)
      section.ShowSection("LIVE");
  }
  return expand("frame.html", dictionary);
}

} // namespace stoker::pages
