#include "scheduling/master/dependencies.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "scheduling/master/applications.hpp"
#include "scheduling/master/driver_admission.hpp"
#include "scheduling/master/drivers.hpp"
#include "scheduling/master/program_ends.hpp"

namespace stoker {

namespace {

ProgramEnd end_of(const ClusterState& state, const Dependency& x) {
  RequestEnds request;
  if (x.app)
    request.apps.push_back(*x.app);
  else
    request.drivers.push_back(x.driver.value());
  return program_ends(state, request).ends.front();
}

/// "app-1 has ended as FAILED: exited with 3".
std::string outcome_of(const ProgramEnd& x) {
  return x.id + " has ended as " + x.state.value_or("")
         + (x.message ? ": " + *x.message : "");
}

/// Takes it out of what somebody waits for. Returns whether its success was needed.
bool take_out(std::vector<Dependency>& waits_for, const AwaitedId& id) {
  auto needed = false;
  std::erase_if(waits_for, [&](const Dependency& x) {
    auto found = awaited(x) == id;
    needed = needed || (found && x.success);
    return found;
  });
  return needed;
}

class Settlement {
public:
  Settlement(Step& step, const EndedProgram& ended)
      : step_(step), ended_(ended) {
  }

  void operator()(AppKey key) const {
    if (!step_.state.applications.contains(key))
      return;
    auto& app = step_.state.applications.edit(key);
    if (fails(key, app.stored.waits_for)) {
      step_.note_first_cause(app.stored.id.value, first_cause());
      return remove_application(step_, key, ApplicationState::FAILED, why());
    }
    step_.changes.touch(key);
    if (app.stored.waits_for.empty())
      begin_application(step_, key);
  }

  void operator()(DriverKey key) const {
    const auto& driver = step_.state.drivers.at(key);
    auto waits_for = driver.stored.waits_for;
    auto failed = fails(key, waits_for);
    step_.state.drivers.wait_for(key, std::move(waits_for));
    if (failed) {
      step_.note_first_cause(step_.state.drivers.at(key).stored.id.value,
                             first_cause());
      return fail_driver(step_, key, why());
    }
    step_.changes.touch(key);
    if (step_.state.drivers.at(key).stored.waits_for.empty())
      join_queue(step_, key);
    step_.schedule_pass();
  }

private:
  /// Whoever it is does not wait for it any more. Returns whether it cannot go on.
  bool fails(Dependent who, std::vector<Dependency>& waits_for) const {
    step_.state.dependents.remove(who, waits_for);
    auto needed = take_out(waits_for, ended_.id);
    step_.state.dependents.add(who, waits_for);
    return needed && !ended_.end.succeeded;
  }

  [[nodiscard]] std::string how_it_ended() const {
    return "has ended as " + ended_.end.state.value_or("");
  }

  [[nodiscard]] std::string first_cause() const {
    return ended_.first_cause.value_or(ended_.end.id + ' ' + how_it_ended());
  }

  [[nodiscard]] std::string why() const {
    return "it was to start after the success of " + ended_.end.id + ", which "
           + how_it_ended()
           + (ended_.first_cause ? " because " + *ended_.first_cause : "");
  }

  Step& step_;
  const EndedProgram& ended_;
};

/// Notes what has ended of those that are waited for.
void note_ended(Step& step, const std::vector<Dependency>& waits_for) {
  for (const auto& x : waits_for) {
    auto end = end_of(step.state, x);
    if (end.state && !end.ended)
      continue;
    end.succeeded = end.succeeded || !end.state;
    step.note_end(awaited(x), std::move(end));
  }
}

} // namespace

Result<std::vector<Dependency>>
open_dependencies(const ClusterState& state,
                  const std::vector<Dependency>& after) {
  std::vector<Dependency> result;
  for (auto x : after) {
    if (x.app.has_value() == x.driver.has_value())
      return invalid("what is waited for is an application or a driver");
    auto end = end_of(state, x);
    if (!end.state)
      return invalid(end.id
                     + " is not known here (any more), so nothing can start "
                       "after it; 'stoker wait "
                     + end.id + "' says how it ended, if the history has it");
    if (end.ended && x.success && !end.succeeded)
      return invalid(outcome_of(end)
                     + ", so what needs its success would never start");
    if (end.ended)
      continue;
    if (end.relaunched_as)
      x.driver = end.relaunched_as;
    if (std::find(result.begin(), result.end(), x) == result.end())
      result.push_back(std::move(x));
  }
  return result;
}

void settle_dependents(Step& step) {
  while (auto ended = step.take_end())
    for (auto who : step.state.dependents.of(ended->id))
      std::visit(Settlement{step, *ended}, who);
}

void follow_relaunch(Step& step, const DriverId& from, const DriverId& to) {
  auto& state = step.state;
  auto retarget = [&](Dependent who, std::vector<Dependency> waits_for) {
    state.dependents.remove(who, waits_for);
    for (auto& x : waits_for)
      if (x.driver == from)
        x.driver = to;
    state.dependents.add(who, waits_for);
    return waits_for;
  };
  for (auto who : state.dependents.of(from))
    if (const auto* key = std::get_if<AppKey>(&who)) {
      auto& waits_for = state.applications.edit(*key).stored.waits_for;
      waits_for = retarget(who, waits_for);
      step.changes.touch(*key);
    } else {
      auto driver = std::get<DriverKey>(who);
      state.drivers.wait_for(
          driver, retarget(who, state.drivers.at(driver).stored.waits_for));
      step.changes.touch(driver);
    }
}

void restore_dependents(Step& step) {
  auto& state = step.state;
  auto restore = [&](Dependent who, const std::vector<Dependency>& waits_for) {
    state.dependents.add(who, waits_for);
    note_ended(step, waits_for);
  };
  for (const auto& [key, app] : state.applications.all())
    restore(key, app.stored.waits_for);
  for (const auto& [key, driver] : state.drivers.all())
    if (!driver.stored.ended)
      restore(key, driver.stored.waits_for);
}

} // namespace stoker
