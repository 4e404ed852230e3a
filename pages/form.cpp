#include "pages/form.hpp"

#include "messages/printable.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

std::string html(const Form& x) {
  ctemplate::TemplateDictionary dictionary{"form"};
  dictionary.SetValue("ACTION", x.action);
  dictionary.SetValue("BUTTON", x.button);
  for (const auto& group : x.groups) {
    auto& filled = *dictionary.AddSectionDictionary("GROUP");
    filled.SetValue("LEGEND", group.legend);
    for (const auto& field : group.fields) {
      auto& input = *filled.AddSectionDictionary("FIELD");
      input.SetValue("NAME", field.name);
      input.SetValue("LABEL", field.label);
      input.SetValue("VALUE", as_utf8(field.value));
      input.SetValue("HINT", field.hint);
    }
  }
  return expand("form.html", dictionary);
}

} // namespace stoker::pages
