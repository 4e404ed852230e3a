#include "tools/stoker/history_question.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include "messages/jobs_report.hpp"
#include "messages/states.hpp"
#include "scheduling/common/entity_id.hpp"
#include "storage/monthly_use.hpp"
#include "storage/time_option.hpp"

namespace stoker {

namespace {

constexpr HistoryKind all_history_kinds[]
    = {HistoryKind::application, HistoryKind::driver, HistoryKind::executor,
       HistoryKind::stage};

std::optional<std::string> if_given(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

std::vector<HistoryKind> kinds_of(const HistoryFilter& x) {
  if (x.kinds.empty())
    return x.id.empty()
               ? std::vector{HistoryKind::application, HistoryKind::driver}
               : std::vector<HistoryKind>{};
  std::vector<HistoryKind> result;
  for (const auto& name : x.kinds) {
    if (name == "all")
      return {};
    for (auto kind : all_history_kinds)
      if (name == to_string(kind) + 's')
        result.push_back(kind);
  }
  return result;
}

Result<std::optional<std::int64_t>>
ms_of(const std::string& text, const std::string& option, Instant now) {
  if (text.empty())
    return std::optional<std::int64_t>{};
  auto time = parse_time(text, now);
  if (!time)
    return invalid(option + ": '" + text
                   + "' is no time: write 2026-11-26, '2026-11-26 14:30', or "
                     "2h for two hours ago");
  return std::optional{to_ms(*time)};
}

Result<std::optional<std::string>> month_option(const std::string& text,
                                                const std::string& option) {
  if (!text.empty() && !is_month(text))
    return invalid(option + ": with --monthly it is a month, as 2026-11, not '"
                   + text + "'");
  return if_given(text);
}

// -- states -------------------------------------------------------------------

// A driver whose worker was lost has ended, and another one goes on.
bool is_end(DriverState x) {
  return is_finished(x) || x == DriverState::RELAUNCHING;
}

bool is_end(ApplicationState x) {
  return is_finished(x);
}

bool is_end(ExecutorState x) {
  return is_finished(x);
}

bool is_end(StageStatus x) {
  return x != StageStatus::PENDING && x != StageStatus::ACTIVE;
}

/// Appends the states in which those of one kind end, each once.
template <class Enum>
void add_ends(std::vector<std::string>& out) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>(
      [&](auto enumerator) {
        std::string name = enumerator.name;
        if (is_end(enumerator.value)
            && std::find(out.begin(), out.end(), name) == out.end())
          out.push_back(std::move(name));
      });
}

/// @param kinds Empty: all.
std::vector<std::string> ends_of(const std::vector<HistoryKind>& kinds) {
  auto has = [&](HistoryKind kind) {
    return kinds.empty()
           || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  std::vector<std::string> result;
  if (has(HistoryKind::application))
    add_ends<ApplicationState>(result);
  if (has(HistoryKind::driver))
    add_ends<DriverState>(result);
  if (has(HistoryKind::executor))
    add_ends<ExecutorState>(result);
  if (has(HistoryKind::stage))
    add_ends<StageStatus>(result);
  return result;
}

std::string list_text(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& x : words)
    result += (&x == &words.front()  ? ""
               : &x == &words.back() ? " and "
                                     : ", ")
              + x;
  return result;
}

Result<std::optional<std::string>>
state_of(const std::string& text, const std::vector<HistoryKind>& kinds) {
  if (text.empty())
    return std::optional<std::string>{};
  auto state = boost::algorithm::to_upper_copy(text);
  auto ends = ends_of(kinds);
  if (std::find(ends.begin(), ends.end(), state) == ends.end())
    return invalid("--state: nothing of these kinds ends as '" + text
                   + "'; there are " + list_text(ends));
  return std::optional{std::move(state)};
}

} // namespace

Result<RequestHistory> history_question(const HistoryFilter& x, Instant now) {
  auto result = x.id.empty() ? RequestHistory{} : question_about_id(x);
  result.kinds = kinds_of(x);
  result.user = if_given(x.user);
  result.company = if_given(x.company);
  result.name = if_given(x.name);
  auto state = state_of(x.state, result.kinds);
  if (!state)
    return std::move(state).error();
  auto since = ms_of(x.since, "--since", now);
  if (!since)
    return std::move(since).error();
  auto until = ms_of(x.until, "--until", now);
  if (!until)
    return std::move(until).error();
  result.state = *std::move(state);
  result.since_ms = *since;
  result.until_ms = *until;
  return result;
}

Result<RequestUse> use_question(const HistoryFilter& x) {
  std::vector<std::string> wrong;
  if (!x.kinds.empty())
    wrong.emplace_back("--kind");
  if (!x.name.empty())
    wrong.emplace_back("--name");
  if (!x.state.empty())
    wrong.emplace_back("--state");
  if (!wrong.empty())
    return invalid("--monthly goes with --since, --until, --user, --company "
                   "and --by-user, not with "
                   + list_text(wrong));
  auto from = month_option(x.since, "--since");
  if (!from)
    return std::move(from).error();
  auto to = month_option(x.until, "--until");
  if (!to)
    return std::move(to).error();
  RequestUse result;
  result.from = *std::move(from);
  result.to = *std::move(to);
  result.company = if_given(x.company);
  result.user = if_given(x.user);
  return result;
}

RequestHistory question_about_id(const HistoryFilter& x) {
  RequestHistory result;
  auto id = parse_entity_id(x.id);
  if (id && std::holds_alternative<AppId>(*id))
    result.app_id = std::get<AppId>(*id);
  else
    result.id = x.id;
  return result;
}

std::string missing_text(const HistoryFilter& x, bool is_there) {
  if (!is_there)
    return x.id
           + " is not in the history: it has not ended (see 'stoker status'), "
             "or did so too long ago";
  std::vector<std::string> given;
  auto add = [&](const char* option, bool is_given) {
    if (is_given)
      given.emplace_back(option);
  };
  add("--kind", !x.kinds.empty());
  add("--user", !x.user.empty());
  add("--company", !x.company.empty());
  add("--name", !x.name.empty());
  add("--state", !x.state.empty());
  add("--since", !x.since.empty());
  add("--until", !x.until.empty());
  return x.id + " is in the history, but nothing of it is as "
         + list_text(given) + (given.size() == 1 ? " says" : " say");
}

} // namespace stoker
