#include "simulation/simulation.hpp"

#include "simulation/job_world.hpp"
#include "simulation/violation.hpp"
#include "simulation/world.hpp"

namespace stoker::simulation {

namespace {

template <class AnyWorld>
Outcome run_in(AnyWorld world) {
  std::optional<std::string> violation;
  try {
    world.run();
  } catch (const Violation& x) {
    violation = x.what();
  }
  auto result = world.outcome();
  if (violation)
    result.violation = *violation + " (after "
                       + std::to_string(result.simulated.count()) + " ms)";
  return result;
}

} // namespace

Outcome run(const Scenario& scenario, std::ostream* log,
            std::ostream* message_log) {
  return scenario.executors > 0 ? run_in(JobWorld{scenario, log, message_log})
                                : run_in(World{scenario, log});
}

} // namespace stoker::simulation
