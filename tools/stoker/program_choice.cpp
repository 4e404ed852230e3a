#include "tools/stoker/program_choice.hpp"

#include <algorithm>
#include <set>

#include "scheduling/common/format.hpp"

namespace stoker {

Result<ExecutorId> find_executor(const MasterStateResponse& state,
                                 const AppId& id, std::optional<int> instance) {
  const ApplicationInfo* app = nullptr;
  for (const auto* apps : {&state.active_apps, &state.completed_apps})
    for (const auto& x : *apps)
      if (x.id == id)
        app = &x;
  if (app == nullptr)
    return Error{Errc::not_found, id.value + " is not known here"};
  // What serves is told apart by its number alone.
  std::set<int> choices;
  std::optional<int> last;
  for (const auto& x : app->executors) {
    choices.insert(x.index.value_or(x.exec_id));
    if (!instance || x.index == instance)
      last = std::max(last.value_or(x.exec_id), x.exec_id);
  }
  if (choices.empty())
    return Error{Errc::not_found,
                 id.value + " has no executors that are known"};
  if (instance && !last)
    return Error{Errc::not_found, id.value + " has no executor of instance "
                                      + std::to_string(*instance)};
  if (!instance && choices.size() > 1)
    return Error{
        Errc::invalid_request,
        id.value + " has "
            + (app->instances
                   ? format_count(*app->instances, "instance")
                         + "; say which with --instance N"
                   : format_count(static_cast<std::int64_t>(choices.size()),
                                  "executor")
                         + "; say which, as " + id.value + "/"
                         + std::to_string(*choices.begin()))};
  return ExecutorId{id, *last};
}

} // namespace stoker
