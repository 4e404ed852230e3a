#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::pages {

/// What people fill in. The address of the page has it afterwards.
struct FormField {
  std::string name;
  std::string label;

  /// What stands there already, and what could stand there; of a choice, what no choice
  /// means.
  std::string value;
  std::string hint;

  /// What may stand there, to choose from; empty: anything.
  std::vector<std::string> choices = {};

  /// What stands there is why the form is of no use. The page says more in its section
  /// "problem".
  bool is_wrong = false;
};

struct FormGroup {
  std::string legend;
  std::vector<FormField> fields;
};

struct Form {
  /// The path of the page that it leads to.
  std::string action;
  std::string button;
  std::vector<FormGroup> groups;

  /// What the address has besides, as it is: names and values.
  std::vector<std::pair<std::string, std::string>> kept = {};
};

/// Marks the field that a problem is about.
/// @param problem begins with the field's label, as "Since: 'x' is no time"
void mark_problem(Form& x, std::string_view problem);

std::string html(const Form& x);

} // namespace stoker::pages
