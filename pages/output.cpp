#include "pages/output.hpp"

#include "pages/templates.hpp"

namespace stoker::pages {

std::string output_html(const std::string& title, const std::string& path) {
  ctemplate::TemplateDictionary dictionary{"output"};
  dictionary.SetValue("TITLE", title);
  dictionary.SetValue("HREF", path);
  return expand("output.html", dictionary);
}

} // namespace stoker::pages
