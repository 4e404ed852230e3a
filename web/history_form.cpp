#include "web/history_form.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>

#include "messages/jobs_report.hpp"
#include "messages/states.hpp"
#include "pages/cells.hpp"
#include "storage/time_option.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

std::optional<std::string> typed(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

constexpr std::array all_kinds{HistoryKind::application, HistoryKind::driver,
                               HistoryKind::executor, HistoryKind::stage};

/// "executors" or "executor".
Result<std::vector<HistoryKind>> kinds_typed(const HistoryForm& form) {
  if (form.kind.empty() && form.id.empty())
    return std::vector{HistoryKind::application, HistoryKind::driver};
  if (form.kind.empty() || form.kind == "all")
    return std::vector<HistoryKind>{};
  for (auto kind : all_kinds)
    if (form.kind == to_string(kind) || form.kind == to_string(kind) + 's')
      return std::vector{kind};
  return invalid("Kind: '" + form.kind
                 + "' is none of applications, drivers, executors, stages and "
                   "all");
}

template <class State, class IsEnd>
void add_ends(std::vector<std::string>& to, IsEnd is_end) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<State>>(
      [&](auto x) {
        std::string name{x.name};
        if (is_end(x.value)
            && std::find(to.begin(), to.end(), name) == to.end())
          to.push_back(std::move(name));
      });
}

/// How something may have ended, each once.
std::vector<std::string> ends() {
  std::vector<std::string> result;
  auto finished = [](auto x) { return is_finished(x); };
  add_ends<ApplicationState>(result, finished);
  add_ends<DriverState>(result, finished);
  add_ends<ExecutorState>(result, finished);
  add_ends<StageStatus>(result, [](auto x) {
    return x != StageStatus::PENDING && x != StageStatus::ACTIVE;
  });
  return result;
}

/// In lower case, as people write them.
std::vector<std::string> state_choices() {
  auto result = ends();
  for (auto& x : result)
    boost::algorithm::to_lower(x);
  return result;
}

/// "failed" or "FAILED".
Result<std::optional<std::string>> state_typed(const std::string& x) {
  auto result = typed(boost::algorithm::to_upper_copy(x));
  auto all = ends();
  if (!result || std::find(all.begin(), all.end(), *result) != all.end())
    return result;
  return invalid("State: '" + x + "' is none of "
                 + boost::algorithm::join(state_choices(), ", "));
}

} // namespace

std::vector<std::string_view> history_field_names() {
  return {"kind", "id", "name", "user", "company", "state", "since", "after"};
}

HistoryForm parse_history_form(std::string_view target) {
  auto value = [&](const char* name) {
    return query_value(target, name).value_or("");
  };
  return {value("kind"),    value("id"),    value("name"),  value("user"),
          value("company"), value("state"), value("since"), value("after")};
}

Result<RequestHistory> history_request(const HistoryForm& x, Instant now) {
  RequestHistory result;
  auto kinds = kinds_typed(x);
  if (!kinds)
    return kinds.error();
  result.kinds = *std::move(kinds);
  // All else has a '/' or another beginning.
  if (x.id.starts_with("app-") && x.id.find('/') == std::string::npos)
    result.app_id = AppId{x.id};
  else
    result.id = typed(x.id);
  result.name = typed(x.name);
  result.user = typed(x.user);
  result.company = typed(x.company);
  auto state = state_typed(x.state);
  if (!state)
    return state.error();
  result.state = *std::move(state);
  if (!x.since.empty()) {
    auto since = parse_time(x.since, now);
    if (!since)
      return invalid("Since: '" + x.since
                     + "' is no time: write 2026-11-26, '2026-11-26 "
                       "14:30', or 2h for two hours ago");
    result.since_ms = to_ms(*since);
  }
  result.after = typed(x.after);
  return result;
}

RequestUse use_request(const HistoryForm& x) {
  return {std::nullopt, std::nullopt, typed(x.company), typed(x.user)};
}

pages::Form form_of(const HistoryForm& x) {
  return {"/history",
          "Show",
          {{"Only what has",
            {{"kind",
              "Kind",
              x.kind,
              "applications and drivers",
              {"applications", "drivers", "executors", "stages", "all"}},
             {"id", "Id", x.id, "app-..."},
             {"name", "Name", x.name, ""},
             {"user", "User", x.user, "ann"},
             {"company", "Company", x.company, ""},
             {"state", "State", boost::algorithm::to_lower_copy(x.state), "any",
              state_choices()},
             {"since", "Since", x.since, "2h"}}}}};
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
  return result;
}

} // namespace stoker
