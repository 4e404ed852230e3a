#include "tools/stoker/wait_outcome.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>

#include <boost/describe/enum_from_string.hpp>

#include "messages/printable.hpp"
#include "messages/states.hpp"
#include "scheduling/common/entity_id.hpp"
#include "scheduling/common/first_failure.hpp"
#include "tools/stoker/exit_codes.hpp"

namespace stoker {

namespace {

constexpr std::size_t named_max = 3;

/// "a, b, c and 4 more", of those that are such.
template <class Predicate>
std::string names_of(const std::vector<ProgramEnd>& ends, Predicate is_such) {
  std::string result;
  std::size_t count = 0;
  for (const auto& x : ends) {
    if (!is_such(x))
      continue;
    if (count++ < named_max)
      result += (count > 1 ? ", " : "") + x.id;
  }
  return count > named_max
             ? result + " and " + std::to_string(count - named_max) + " more"
             : result;
}

/// A driver is KILLED where somebody asked for that, also between two of its starts.
bool was_killed(const ProgramEnd& x) {
  auto id = parse_entity_id(x.id);
  return id && std::holds_alternative<DriverId>(*id) && x.state == "KILLED";
}

} // namespace

std::optional<int> first_failure(const std::vector<HistoryEntry>& executors) {
  // What ended within one millisecond counts as it was started.
  std::map<std::pair<std::int64_t, int>, EndedAttempt> by_end;
  for (const auto& x : executors) {
    auto id = parse_entity_id(x.id);
    ExecutorState state{};
    if (x.instance && id && std::holds_alternative<ExecutorId>(*id)
        && boost::describe::enum_from_string(x.state.c_str(), state))
      by_end[{x.ended_ms, std::get<ExecutorId>(*id).exec_id}]
          = {*x.instance, state, x.exit_status};
  }
  std::vector<EndedAttempt> in_order;
  for (const auto& [when, attempt] : by_end)
    in_order.push_back(attempt);
  return first_failure(in_order);
}

ProgramEnd end_in_history(const HistoryEntry& x) {
  ProgramEnd result;
  result.id = x.id;
  result.state = x.state;
  result.ended = true;
  result.succeeded = x.state == to_string(ApplicationState::FINISHED);
  if (!result.succeeded)
    result.exit_status = x.exit_status;
  result.message = x.message;
  result.relaunched_as = x.relaunched_as;
  result.ended_ms = x.ended_ms;
  return result;
}

WaitOutcome outcome_of(const std::vector<ProgramEnd>& ends) {
  if (auto unknown = names_of(ends, [](const auto& x) { return !x.state; });
      !unknown.empty())
    return {exit_failure, unknown + ": not known here, or not any more"};
  if (auto open = names_of(ends, [](const auto& x) { return !x.ended; });
      !open.empty())
    return {exit_timeout, "the time is up, and this has not ended: " + open};
  auto bad = std::find_if(ends.begin(), ends.end(),
                          [](const auto& x) { return !x.succeeded; });
  if (bad == ends.end())
    return {};
  auto status = bad->exit_status.value_or(was_killed(*bad) ? exit_killed
                                                           : exit_failure);
  return {status == 0 ? exit_failure : status, {}};
}

std::string line_of(const ProgramEnd& x) {
  auto result = x.id + ' ' + x.state.value_or("-");
  if (x.relaunched_as)
    result += " as " + x.relaunched_as->value;
  if (x.exit_status)
    result += ", exit code " + std::to_string(*x.exit_status);
  if (x.message && !x.succeeded)
    result += ": " + *x.message;
  return printable(result);
}

ProgramEnd with_exit_status(ProgramEnd x) {
  auto id = parse_entity_id(x.id);
  if (x.succeeded && id && std::holds_alternative<DriverId>(*id))
    x.exit_status = 0;
  return x;
}

} // namespace stoker
