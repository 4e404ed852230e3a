#pragma once

#include <string>
#include <vector>

namespace stoker::pages {

/// What people fill in. The address of the page has it afterwards.
struct FormField {
  std::string name;
  std::string label;

  /// What stands there already, and what could stand there.
  std::string value;
  std::string hint;
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
};

std::string html(const Form& x);

} // namespace stoker::pages
