#include "scheduling/planning/queue_report.hpp"

#include <map>

#include "scheduling/common/format.hpp"

namespace stoker {

std::string room_sentence(const QueuesResponse& x) {
  if (!x.tenants)
    return "There are no companies: all are served in the order in which they "
           "came.";
  if (!x.tenants->full.empty())
    return "Nothing is admitted now: " + x.tenants->full + '.';
  if (x.queued_in_all == 0)
    return "There is room for more to be admitted.";
  return "The cluster has room for more, but "
         + format_count(x.queued_in_all, "application")
         + (x.queued_in_all == 1 ? " waits" : " wait")
         + ": limits of users and companies keep them.";
}

std::vector<int> places_in_queues(const QueuesResponse& x) {
  std::vector<int> result;
  std::map<std::string, int> last;
  // In order of submission, as each queue is.
  for (const auto& app : x.queued)
    result.push_back(++last[app.user]);
  return result;
}

} // namespace stoker
