#include "scheduling/master/end_hooks.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduling/master/drivers.hpp"
#include "scheduling/master/programs.hpp"

namespace stoker {

namespace {

/// What `stoker submit` asks for where nothing else is said.
constexpr std::int64_t hook_memory_mb = 512;

} // namespace

Status validate(const EndHook& x) {
  if (x.retries < 0 || x.retries > hook_retries_max)
    return invalid("what follows an end is retried 0 to "
                   + std::to_string(hook_retries_max) + " times");
  if (x.command.spark)
    return invalid("what follows an end is no program of Spark's");
  return validate(x.command, "program that follows an end");
}

template <class Record>
void start_end_hook(Step& step, const Record& of, const ProgramEnd& end,
                    const std::optional<AppId>& after) {
  const auto& hook = of.description.on_end;
  if (!hook)
    return;
  DriverDescription driver;
  driver.name = "after " + of.description.name;
  driver.user = of.description.user;
  driver.memory_mb = hook_memory_mb;
  driver.command = hook->command;
  auto& environment = driver.command.environment;
  environment["STOKER_ENDED_ID"] = end.id;
  environment["STOKER_ENDED_NAME"] = of.description.name;
  environment["STOKER_ENDED_STATE"] = end.state.value_or("");
  if (end.message)
    environment["STOKER_ENDED_MESSAGE"] = *end.message;
  if (end.exit_status)
    environment["STOKER_ENDED_EXIT_STATUS"] = std::to_string(*end.exit_status);
  driver.supervise = true;
  driver.max_restarts = hook->retries;
  std::vector<Dependency> waits_for;
  if (after) {
    waits_for.emplace_back();
    waits_for.back().app = after;
  }
  add_driver(step, {std::move(driver), {}, of.identity}, std::move(waits_for));
}

template void start_end_hook(Step& step, const StoredApplication& of,
                             const ProgramEnd& end,
                             const std::optional<AppId>& after);
template void start_end_hook(Step& step, const StoredDriver& of,
                             const ProgramEnd& end,
                             const std::optional<AppId>& after);

} // namespace stoker
