#include "storage/history_words.hpp"

#include <algorithm>
#include <utility>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include "messages/jobs_report.hpp"
#include "messages/states.hpp"

namespace stoker {

namespace {

constexpr const char* all_kinds_name = "all";

constexpr HistoryKind all_history_kinds[]
    = {HistoryKind::application, HistoryKind::driver, HistoryKind::executor,
       HistoryKind::stage};

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

} // namespace

const std::vector<std::string>& history_kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (auto kind : all_history_kinds)
      result.push_back(to_string(kind) + 's');
    result.emplace_back(all_kinds_name);
    return result;
  }();
  return names;
}

Result<std::vector<HistoryKind>> parse_history_kinds(const std::string& text) {
  std::vector<std::string> names;
  boost::algorithm::split(names, text, [](char c) { return c == ','; });
  std::vector<HistoryKind> result;
  auto is_all = false;
  for (const auto& given : names) {
    auto name = boost::algorithm::to_lower_copy(given);
    const auto* kind = std::find_if(std::begin(all_history_kinds),
                                    std::end(all_history_kinds), [&](auto x) {
                                      return name == to_string(x)
                                             || name == to_string(x) + 's';
                                    });
    if (kind != std::end(all_history_kinds))
      result.push_back(*kind);
    else if (name == all_kinds_name)
      is_all = true;
    else
      return invalid("'" + given + "' is none of "
                     + list_text(history_kind_names()));
  }
  if (is_all)
    result.clear();
  return result;
}

std::vector<std::string> history_states(const std::vector<HistoryKind>& kinds) {
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

std::vector<std::string>
history_state_names(const std::vector<HistoryKind>& kinds) {
  auto result = history_states(kinds);
  for (auto& x : result)
    boost::algorithm::to_lower(x);
  return result;
}

Result<std::string> parse_history_state(const std::string& text,
                                        const std::vector<HistoryKind>& kinds) {
  auto state = boost::algorithm::to_upper_copy(text);
  auto ends = history_states(kinds);
  if (std::find(ends.begin(), ends.end(), state) == ends.end())
    return invalid("nothing of these kinds ends as '" + text + "'; there are "
                   + list_text(ends));
  return state;
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

} // namespace stoker
