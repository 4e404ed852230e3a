#include "web/history_form.hpp"

#include <optional>
#include <utility>

#include <boost/algorithm/string/case_conv.hpp>

#include "pages/cells.hpp"
#include "storage/history_query.hpp"
#include "storage/history_words.hpp"
#include "storage/monthly_use.hpp"
#include "storage/time_option.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

std::optional<std::string> typed(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

Result<std::vector<HistoryKind>> kinds_typed(const HistoryForm& form) {
  if (!form.kind.empty())
    return parse_history_kinds(form.kind);
  // As the command line: what people have started.
  return form.id.empty()
             ? std::vector{HistoryKind::application, HistoryKind::driver}
             : std::vector<HistoryKind>{};
}

constexpr const char* since_label = "Since (UTC)";
constexpr const char* until_label = "Until (UTC)";

/// Readers of a page are anywhere, and the master's own zone is nobody's.
Result<std::optional<std::int64_t>>
time_typed(const std::string& label, const std::string& text, Instant now) {
  if (text.empty())
    return std::optional<std::int64_t>{};
  auto time = parse_time(text, now, TimeOf::utc);
  if (!time)
    return invalid(label + ": " + no_time_text(text));
  return std::optional{to_ms(*time)};
}

} // namespace

std::vector<std::string_view> history_field_names() {
  return {"kind",  "id",    "name",  "user", "company",
          "state", "since", "until", "after"};
}

HistoryForm parse_history_form(std::string_view target) {
  auto value = [&](const char* name) {
    return query_value(target, name).value_or("");
  };
  return {value("kind"),  value("id"),      value("name"),
          value("user"),  value("company"), value("state"),
          value("since"), value("until"),   value("after")};
}

Result<RequestHistory> history_request(const HistoryForm& x, Instant now) {
  RequestHistory result;
  auto kinds = kinds_typed(x);
  if (!kinds)
    return invalid("Kind: " + kinds.error().message);
  result.kinds = *std::move(kinds);
  // All else has a '/' or another beginning.
  if (x.id.starts_with("app-") && x.id.find('/') == std::string::npos)
    result.app_id = AppId{x.id};
  else
    result.id = typed(x.id);
  result.name = typed(x.name);
  result.user = typed(x.user);
  result.company = typed(x.company);
  if (!x.state.empty()) {
    auto state = parse_history_state(x.state, result.kinds);
    if (!state)
      return invalid("State: " + state.error().message);
    result.state = *std::move(state);
  }
  auto since = time_typed(since_label, x.since, now);
  if (!since)
    return since.error();
  result.since_ms = *since;
  auto until = time_typed(until_label, x.until, now);
  if (!until)
    return until.error();
  result.until_ms = *until;
  result.after = typed(x.after);
  if (auto valid = check_history_request(result); !valid)
    return std::move(valid).error();
  return result;
}

RequestUse use_request(const RequestHistory& x) {
  RequestUse result{{}, {}, x.company, x.user};
  if (x.since_ms)
    result.from = month_of(from_ms(*x.since_ms));
  // It ended before that: the first moment of a month is of none of its ends.
  if (x.until_ms)
    result.to = month_of(from_ms(*x.until_ms - 1));
  return result;
}

std::vector<std::string> notes_on_use(const HistoryForm& form,
                                      const RequestUse& x) {
  std::vector<std::string> result;
  std::string of;
  auto add = [&](const char* what, const std::optional<std::string>& value) {
    if (value)
      of += std::string{what} + *value;
  };
  add(" of user ", x.user);
  add(" of company ", x.company);
  if (x.from || x.to)
    of += " in whole months";
  add(" from ", x.from);
  add(" to ", x.to);
  if (!of.empty())
    result.push_back("This is all use" + of + '.');
  if (!form.kind.empty() || !form.id.empty() || !form.name.empty()
      || !form.state.empty())
    result.emplace_back("Sums by month are of users and companies: no kind, "
                        "id, name or state counts here.");
  return result;
}

pages::Form form_of(const HistoryForm& x) {
  return {"/history",
          "Show",
          {{"Only what has",
            {{"kind", "Kind", x.kind, "applications and drivers",
              history_kind_names()},
             {"id", "Id", x.id, "app-..."},
             {"name", "Name, in full", x.name, ""},
             {"user", "User", x.user, "ann"},
             {"company", "Company", x.company, ""},
             {"state", "State", boost::algorithm::to_lower_copy(x.state), "any",
              history_state_names({})},
             {"since", since_label, x.since, "2h"},
             {"until", until_label, x.until, "2026-11-26 14:30"}}}}};
}

std::string href_of_part(const HistoryForm& x, const std::string& after) {
  std::string result{"/history"};
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      result += (result.find('?') == std::string::npos ? "?" : "&")
                + std::string{name} + '=' + pages::url_encoded(value);
  };
  add("after", after);
  add("kind", x.kind);
  add("id", x.id);
  add("name", x.name);
  add("user", x.user);
  add("company", x.company);
  add("state", x.state);
  add("since", x.since);
  add("until", x.until);
  return result;
}

} // namespace stoker
