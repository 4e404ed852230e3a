#include "scheduling/common/first_failure.hpp"

#include <map>

#include "scheduling/common/instance_end.hpp"

namespace stoker {

std::optional<int> first_failure(const std::vector<EndedAttempt>& attempts) {
  // After the others the instance was started again.
  std::map<int, const EndedAttempt*> last;
  for (const auto& x : attempts)
    last[x.instance] = &x;
  for (const auto& x : attempts) {
    if (last.at(x.instance) != &x)
      continue;
    auto end = instance_end(x.state, x.exit_status);
    if (end == InstanceEnd::failed || end == InstanceEnd::cannot_start)
      return x.exit_status;
  }
  return std::nullopt;
}

} // namespace stoker
