#pragma once

#include <string>
#include <string_view>

#include "messages/history.hpp"
#include "pages/form.hpp"

namespace stoker {

/// What a reader wants to see of what has ended, as he typed it; the address of the page
/// has it. Empty: whatever it is.
struct HistoryForm {
  /// "executors"; empty: applications and drivers.
  std::string kind;

  /// An application, with its executors and stages, or one of these, or a driver.
  std::string id;
  std::string user;
  std::string company;
  std::string state;

  /// As in RequestHistory.
  std::string after;
};

/// @param target of a page, as "/history?user=ann"
HistoryForm parse_history_form(std::string_view target);

RequestHistory history_request(const HistoryForm& x);

/// Of the same users, in all months.
RequestUse use_request(const HistoryForm& x);

pages::Form form_of(const HistoryForm& x);

/// Where the next part of it is.
std::string href_of_next(const HistoryForm& x, const std::string& after);

} // namespace stoker
