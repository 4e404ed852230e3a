#include "pages/form.hpp"

#include <algorithm>

#include "messages/printable.hpp"
#include "pages/templates.hpp"

namespace stoker::pages {

namespace {

void fill_choices(ctemplate::TemplateDictionary& to, const FormField& field) {
  auto add = [&](const std::string& value, const std::string& text) {
    auto& choice = *to.AddSectionDictionary("CHOICE");
    choice.SetValue("VALUE", value);
    choice.SetValue("TEXT", text);
    if (value == as_utf8(field.value))
      choice.ShowSection("CHOSEN");
  };
  add("", field.hint);
  // What the address has is shown, whatever that is.
  if (!field.value.empty()
      && std::ranges::find(field.choices, field.value) == field.choices.end())
    add(as_utf8(field.value), as_utf8(field.value));
  for (const auto& x : field.choices)
    add(x, x);
}

} // namespace

void mark_problem(Form& x, std::string_view problem) {
  for (auto& group : x.groups)
    for (auto& field : group.fields)
      field.is_wrong = problem.starts_with(field.label + ": ");
}

std::string html(const Form& x) {
  ctemplate::TemplateDictionary dictionary{"form"};
  dictionary.SetValue("ACTION", x.action);
  dictionary.SetValue("BUTTON", x.button);
  for (const auto& [name, value] : x.kept) {
    auto& kept = *dictionary.AddSectionDictionary("KEPT");
    kept.SetValue("NAME", name);
    kept.SetValue("VALUE", value);
  }
  for (const auto& group : x.groups) {
    auto& filled = *dictionary.AddSectionDictionary("GROUP");
    filled.SetValue("LEGEND", group.legend);
    for (const auto& field : group.fields) {
      auto& shown = *filled.AddSectionDictionary("FIELD");
      shown.SetValue("LABEL", field.label);
      auto& input = *shown.AddSectionDictionary(
          field.choices.empty() ? "INPUT" : "SELECT");
      input.SetValue("NAME", field.name);
      if (field.is_wrong)
        input.ShowSection("WRONG");
      if (!field.choices.empty()) {
        fill_choices(input, field);
        continue;
      }
      input.SetValue("VALUE", as_utf8(field.value));
      input.SetValue("HINT", field.hint);
    }
  }
  return expand("form.html", dictionary);
}

} // namespace stoker::pages
