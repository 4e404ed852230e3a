#include "tools/stoker/history_question.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/join.hpp>

#include "scheduling/common/entity_id.hpp"
#include "storage/history_words.hpp"
#include "storage/monthly_use.hpp"
#include "storage/time_option.hpp"
#include "tools/stoker/spelling.hpp"

namespace stoker {

namespace {

std::optional<std::string> if_given(const std::string& x) {
  return x.empty() ? std::nullopt : std::optional{x};
}

Result<std::vector<HistoryKind>> kinds_of(const HistoryFilter& x) {
  if (x.kinds.empty())
    return x.id.empty()
               ? std::vector{HistoryKind::application, HistoryKind::driver}
               : std::vector<HistoryKind>{};
  return parse_history_kinds(boost::algorithm::join(x.kinds, ","));
}

Result<std::optional<std::int64_t>>
ms_of(const std::string& text, const std::string& option, Instant now) {
  if (text.empty())
    return std::optional<std::int64_t>{};
  auto time = parse_time(text, now);
  if (!time)
    return invalid(option + ": " + no_time_text(text));
  return std::optional{to_ms(*time)};
}

Result<std::optional<std::string>> month_option(const std::string& text,
                                                const std::string& option) {
  if (!text.empty() && !is_month(text))
    return invalid(option + ": with --monthly it is a month, as 2026-11, not '"
                   + text + "'");
  return if_given(text);
}

std::string similar_state(const std::string& given,
                          const std::vector<HistoryKind>& kinds) {
  auto names = history_state_names(kinds);
  return did_you_mean(boost::algorithm::to_lower_copy(given),
                      {names.begin(), names.end()});
}

} // namespace

Result<RequestHistory> history_question(const HistoryFilter& x, Instant now) {
  auto result = x.id.empty() ? RequestHistory{} : question_about_id(x);
  auto kinds = kinds_of(x);
  if (!kinds)
    return invalid("--kind: " + kinds.error().message);
  result.kinds = *std::move(kinds);
  result.user = if_given(x.user);
  result.company = if_given(x.company);
  result.name = if_given(x.name);
  if (!x.state.empty()) {
    auto state = parse_history_state(x.state, result.kinds);
    if (!state)
      return invalid("--state: " + state.error().message
                     + similar_state(x.state, result.kinds));
    result.state = *std::move(state);
  }
  auto since = ms_of(x.since, "--since", now);
  if (!since)
    return std::move(since).error();
  auto until = ms_of(x.until, "--until", now);
  if (!until)
    return std::move(until).error();
  if (*since && *until && **since > **until)
    return invalid("--since is after --until: nothing can have ended then");
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
  // Months sort as their names do.
  if (*from && *to && **from > **to)
    return invalid("--since is after --until: there is no such month");
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
