#include "scheduling/master/executor_sizes.hpp"

#include <algorithm>

#include "scheduling/common/format.hpp"
#include "scheduling/master/allowance.hpp"
#include "scheduling/master/driver_admission.hpp"

namespace stoker {

namespace {

/// Returns true if tenants have accepted the application.
bool was_accepted(const ClusterState& state, AppKey key) {
  const auto* tenants = state.admission.tenants();
  return tenants != nullptr
         && (tenants->is_queued(key) || tenants->is_admitted(key));
}

/// A part of memory, rounded up.
std::int64_t share_of(std::int64_t memory_mb, std::int64_t cores, int of) {
  return (memory_mb * cores + of - 1) / of;
}

} // namespace

bool admits_in_part(const ClusterState& state) {
  const auto* tenants = state.admission.tenants();
  return tenants != nullptr && tenants->config().admit_in_part;
}

Resources most_beside_driver(const ClusterState& state,
                             const ApplicationDescription& x) {
  const auto* tenants = state.admission.tenants();
  if (tenants == nullptr)
    return {unlimited, unlimited};
  auto result = tenants->most_of(x.user);
  auto driver = driver_of(state, x);
  if (!driver)
    return result;
  auto own = own_of(state.drivers.at(*driver).stored.description);
  if (result.cores != unlimited)
    result.cores -= own.cores;
  if (result.memory_mb != unlimited)
    result.memory_mb -= own.memory_mb;
  return result;
}

namespace {

/// @param cores_max Of one executor, unless the application says its cores.
ExecutorSize size_for(const ClusterState& state, const Application& app,
                      std::int64_t cores_max) {
  const auto& description = app.stored.description;
  auto said = description.memory_per_executor_mb;
  // Drivers of Spark's always say it, whether their user has or not.
  if (description.command.spark && description.memory_per_task_mb)
    said.reset();
  if (description.cores_per_executor && said)
    return {*description.cores_per_executor, *said};
  // One that cannot run within what it may have is refused when it comes, not made smaller.
  auto most = admits_in_part(state) || was_accepted(state, app.key())
                  ? most_beside_driver(state, description)
                  : Resources{unlimited, unlimited};
  std::int64_t gang = std::max(1, app.stored.gang.value_or(1));
  auto size_by = [&](const FreeCensus& census) {
    auto size_within = [&](std::int64_t cores) {
      return size_executor(census,
                           static_cast<int>(std::max<std::int64_t>(1, cores)),
                           description.memory_per_task_mb);
    };
    // A gang has to be possible within what it may have.
    auto result = size_within(std::min(
        cores_max,
        std::min<std::int64_t>(cores_max_of(state, app), most.cores) / gang));
    if (auto memory_mb = most.memory_mb / gang; result.memory_mb > memory_mb)
      result = size_within(memory_mb * result.cores / result.memory_mb);
    return result;
  };
  // A worker that does not run it, or is without the named resources, is of no use, however large.
  auto sized = app.needs.named.empty()
                   ? size_by(state.capacity.census(app.needs.kind))
                   : size_by(state.capacity.census_with(app.needs));
  ExecutorSize result = sized;
  if (description.cores_per_executor)
    result.cores = *description.cores_per_executor;
  result.memory_mb
      = said.value_or(share_of(sized.memory_mb, result.cores, sized.cores));
  return result;
}

} // namespace

ExecutorSize size_for(const ClusterState& state, const Application& app) {
  return size_for(state, app, unlimited);
}

ExecutorSize smallest_size_for(const ClusterState& state,
                               const Application& app) {
  return size_for(state, app,
                  state.admission.tenants()->config().min_executor_cores);
}

Resources request_of(const ClusterState& state, const Application& app,
                     ExecutorSize size) {
  auto executors = std::int64_t{executors_left(app)} + app.executors.count();
  auto cores = std::min<std::int64_t>(cores_max_of(state, app),
                                      executors * size.cores);
  // Executors that are no longer wanted run on until they end.
  cores = std::max<std::int64_t>(cores, app.executors.cores());
  return {cores, share_of(size.memory_mb, cores, size.cores)};
}

Resources least_of(const Application& app, ExecutorSize size,
                   const Resources& request) {
  auto count = std::int64_t{std::max(1, gang_of(app))};
  return smaller({count * size.cores, count * size.memory_mb}, request);
}

std::string lacks_kind(const ProgramKind& kind) {
  if (kind == SparkRelease{})
    return "the version of its Spark is not known yet";
  return kind ? "no worker has " + to_string(*kind)
                    + " (start one with --spark-home)"
              : "no worker runs other programs than Spark's";
}

Status could_ever_fit(const ClusterState& state, ExecutorSize size,
                      const Requirements& needs, const std::string& what) {
  // Without a worker there is nothing to compare with: one may come.
  if (!state.capacity.has_workers() || state.capacity.could_hold(size, needs))
    return {};
  const auto& totals = state.capacity.totals(needs.kind);
  if (totals.empty())
    return invalid(lacks_kind(needs.kind));
  auto most = totals.most();
  if (most.memory_mb < size.memory_mb)
    return invalid("needs " + format_memory(size.memory_mb) + " per " + what
                   + ", the largest worker has "
                   + format_memory(most.memory_mb));
  if (most.cores < size.cores)
    return invalid("needs " + format_cores(size.cores) + " per " + what
                   + ", the largest worker has " + format_cores(most.cores));
  auto is_offered = [&](const std::string& name, int amount) {
    return state.capacity.could_hold({}, {{{name, amount}}, needs.kind});
  };
  for (const auto& [name, amount] : needs.named)
    if (!is_offered(name, amount))
      return invalid("needs " + format_amounts({{name, amount}}) + " per "
                     + what + ", no worker "
                     + (is_offered(name, 1) ? "has so much " : "offers ")
                     + name);
  auto needed = "needs " + format_cores(size.cores) + " and "
                + format_memory(size.memory_mb);
  if (totals.fits(size))
    return invalid(needed + " with " + format_requirements(needs) + " per "
                   + what + ", no worker has all of these");
  return invalid(needed + " per " + what + ", no worker has both");
}

Status gang_could_ever_fit(const ClusterState& state,
                           const ExecutorShape& shape, int gang) {
  if (!state.capacity.has_workers())
    return {};
  const auto& totals = state.capacity.totals(shape.needs.kind);
  auto slots = state.capacity.slots_in_all(shape, gang);
  if (slots == gang)
    return {};
  Resources there;
  ResourceAmounts named;
  for (auto x = totals.first({}); x; x = totals.next(*x, {})) {
    there += {x->free.cores, x->free.memory_mb};
    for (const auto& [name, amount] : shape.needs.named)
      named[name] += state.capacity.account(WorkerKey{x->number})
                         .named.times_in_all({{name, 1}});
  }
  auto text = [](const Resources& x, const ResourceAmounts& y) {
    return format_cores(x.cores) + ", " + format_memory(x.memory_mb)
           + (y.empty() ? std::string{} : " and " + format_amounts(y));
  };
  auto all = shape.needs.named;
  for (auto& [name, amount] : all)
    amount *= gang;
  return invalid("needs " + std::to_string(gang) + " executors at once ("
                 + text({std::int64_t{gang} * shape.size.cores,
                         std::int64_t{gang} * shape.size.memory_mb},
                        all)
                 + "), all workers together hold " + std::to_string(slots)
                 + " (" + text(there, named) + ")");
}

} // namespace stoker
