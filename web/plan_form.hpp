#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/planning.hpp"
#include "messages/result.hpp"
#include "pages/form.hpp"

namespace stoker {

/// What somebody has filled in of the form for a plan, by field, as people write it.
struct PlanForm {
  std::map<std::string, std::string> values;

  friend bool operator==(const PlanForm&, const PlanForm&) = default;
};

/// From the address of a page: "/plan?workers=2&cores=8".
PlanForm parse_plan_form(std::string_view target);

/// What an address of the page may have.
std::vector<std::string_view> plan_field_names();

/// The form, with what was filled in.
pages::Form form_of(const PlanForm& x);

/// What is asked. Fails with one line on what cannot be read; nothing: the form is empty.
Result<std::optional<RequestPlan>> plan_request(const PlanForm& x);

} // namespace stoker
