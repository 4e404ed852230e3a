#pragma once

#include <string>

namespace stoker::pages {

/// A question whose answer changes something.
struct Confirmation {
  /// Where the answer is sent to, and with what, so that it is seen to be one to this form.
  std::string action;
  std::string token;

  std::string question;
  std::string button;

  /// Where it leads to who would rather not, and what says so.
  std::string back;
  std::string instead;
};
std::string html(const Confirmation& x);

/// Leads to where something is changed, once that is confirmed.
std::string order_html(const std::string& text, const std::string& href);

} // namespace stoker::pages
