#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "messages/history.hpp"
#include "messages/instant.hpp"
#include "messages/result.hpp"
#include "pages/form.hpp"

namespace stoker {

/// What a reader wants to see of what has ended, as he typed it; the address of the page
/// has it. Empty: whatever it is.
struct HistoryForm {
  /// As `parse_history_kinds`; empty: applications and drivers.
  std::string kind;

  /// An application, with its executors and stages, or one of these, or a driver.
  std::string id;
  std::string name;
  std::string user;
  std::string company;
  std::string state;

  /// What ended then or later, and before: a time of UTC, or how long ago, as 2h.
  std::string since;
  std::string until;

  /// As in RequestHistory.
  std::string after;
};

/// @param target of a page, as "/history?user=ann"
HistoryForm parse_history_form(std::string_view target);

/// What is asked. Fails with one line on what cannot be read.
/// @param now what "2h" counts from
Result<RequestHistory> history_request(const HistoryForm& x, Instant now);

/// Use of the same users and companies, in the months in which what is asked for may have
/// ended. Sums by month know of nothing else.
RequestUse use_request(const RequestHistory& x);

/// What people are told of such sums: of whom and when they are, and what else was asked for
/// and does not count. Nothing: they are of all.
std::vector<std::string> notes_on_use(const HistoryForm& form,
                                      const RequestUse& x);

pages::Form form_of(const HistoryForm& x);

/// What an address of the page may have.
std::vector<std::string_view> history_field_names();

/// Where a part of it is.
/// @param after empty: the first one
std::string href_of_part(const HistoryForm& x, const std::string& after);

} // namespace stoker
