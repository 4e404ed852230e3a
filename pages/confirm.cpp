#include "pages/confirm.hpp"

#include "messages/printable.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

std::string html(const Confirmation& x) {
  ctemplate::TemplateDictionary dictionary{"confirm"};
  dictionary.SetValue("ACTION", x.action);
  dictionary.SetValue("TOKEN", x.token);
  dictionary.SetValue("QUESTION", printable(x.question));
  dictionary.SetValue("BUTTON", x.button);
  dictionary.SetValue("BACK", x.back);
  dictionary.SetValue("INSTEAD", x.instead);
  return expand("confirm.html", dictionary);
}

std::string order_html(const std::string& text, const std::string& href) {
  ctemplate::TemplateDictionary dictionary{"order"};
  dictionary.SetValue("TEXT", text);
  dictionary.SetValue("HREF", href);
  return expand("order.html", dictionary);
}

} // namespace stoker::pages
