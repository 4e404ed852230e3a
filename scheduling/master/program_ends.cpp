#include "scheduling/master/program_ends.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "scheduling/common/first_failure.hpp"
#include "scheduling/master/snapshot.hpp"

namespace stoker {

namespace {

bool has_ended(const StoredDriver& x) {
  return x.ended.has_value() || is_finished(x.state);
}

std::vector<EndedAttempt>
attempts_of(const std::vector<StoredExecutor>& in_order) {
  std::vector<EndedAttempt> result;
  for (const auto& x : in_order)
    if (x.index)
      result.push_back({*x.index, x.state, x.exit_status});
  return result;
}

void tell(ProgramEnd& out, const ApplicationInfo& x) {
  out.state = to_string(x.state);
  out.ended = is_finished(x.state);
  out.succeeded = x.state == ApplicationState::FINISHED;
  out.message = x.message;
  out.ended_ms = x.ended_ms;
}

ProgramEnd end_of(const ClusterState& state, const AppId& id) {
  ProgramEnd result;
  result.id = id.value;
  if (auto key = state.applications.find(id)) {
    tell(result, info_of(state.applications.at(*key).stored));
  } else if (const auto* over = state.applications.find_ended(id)) {
    result = stoker::end_of(*over);
    result.ended = !state.releases.has_any_of(id);
  }
  return result;
}

ProgramEnd end_of(const ClusterState& state, const DriverId& id) {
  ProgramEnd result;
  result.id = id.value;
  const auto* driver = find_last_start(state, id);
  if (driver == nullptr)
    return result;
  result = stoker::end_of(*driver);
  if (driver->id != id)
    result.relaunched_as = driver->id;
  result.id = id.value;
  return result;
}

} // namespace

ProgramEnd end_of(const EndedApplication& x) {
  ProgramEnd result;
  result.id = x.info.id.value;
  tell(result, x.info);
  if (x.info.state == ApplicationState::FAILED)
    result.exit_status = first_failure(attempts_of(x.executors));
  return result;
}

ProgramEnd end_of(const StoredDriver& x) {
  ProgramEnd result;
  result.id = x.id.value;
  result.state = to_string(x.state);
  result.ended = has_ended(x);
  result.succeeded = x.state == DriverState::FINISHED;
  if (result.ended && !result.succeeded)
    result.exit_status = x.exit_status;
  result.message = x.message;
  if (x.ended)
    result.ended_ms = to_ms(*x.ended);
  return result;
}

const StoredDriver* find_last_start(const ClusterState& state,
                                    const DriverId& id) {
  auto key = state.drivers.find(id);
  return key ? &state.drivers.at(state.drivers.last_start(*key)).stored
             : nullptr;
}

EndsResponse program_ends(const ClusterState& state,
                          const RequestEnds& request) {
  EndsResponse result;
  for (const auto& id : request.apps)
    result.ends.push_back(end_of(state, id));
  for (const auto& id : request.drivers)
    result.ends.push_back(end_of(state, id));
  return result;
}

bool tell_of_ends(const ClusterState& state, const Changes& changes) {
  return std::ranges::any_of(changes, [&](const Change& change) {
    const auto* app = std::get_if<StoredApplication>(&change);
    const auto* driver = std::get_if<StoredDriver>(&change);
    const auto* executor = std::get_if<StoredExecutor>(&change);
    const auto* erased = std::get_if<EraseExecutor>(&change);
    return (app != nullptr && app->ended)
           || (driver != nullptr && has_ended(*driver))
           // Perhaps the last of an application that was ended.
           || (executor != nullptr && executor->ended && !executor->ending
               && !state.applications.find(executor->app_id))
           || (erased != nullptr && !state.applications.find(erased->id.app_id))
           // Of which nothing is kept.
           || std::holds_alternative<EraseApplication>(change)
           || std::holds_alternative<EraseDriver>(change);
  });
}

bool all_have_ended(const ClusterState& state, const RequestEnds& request) {
  // Those that have ended are no longer among the present ones.
  return std::none_of(request.apps.begin(), request.apps.end(),
                      [&](const AppId& id) {
                        return state.applications.find(id).has_value()
                               || state.releases.has_any_of(id);
                      })
         && std::all_of(request.drivers.begin(), request.drivers.end(),
                        [&](const DriverId& id) {
                          const auto* driver = find_last_start(state, id);
                          return driver == nullptr || has_ended(*driver);
                        });
}

} // namespace stoker
