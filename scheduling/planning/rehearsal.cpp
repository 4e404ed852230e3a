#include "scheduling/planning/rehearsal.hpp"

#include <iterator>
#include <utility>

#include "scheduling/master/cluster.hpp"

namespace stoker {

OutgoingMessages step_with_ends(Cluster& copy, Instant now, const Event& what,
                                const IsToStop& is_to_stop) {
  auto result = copy.step(now, what).messages;
  // The list grows while it is walked: what starts may be told to end, too.
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto* sent = std::get_if<Send>(&result[i]);
    const auto* kill
        = sent == nullptr ? nullptr : std::get_if<KillExecutor>(&sent->message);
    if (kill == nullptr)
      continue;
    if (stops(is_to_stop))
      break;
    auto more = copy.step(now, ExecutorStateChanged{kill->app_id, kill->exec_id,
                                                    ExecutorState::KILLED,
                                                    std::nullopt, std::nullopt})
                    .messages;
    result.insert(result.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  return result;
}

} // namespace stoker
