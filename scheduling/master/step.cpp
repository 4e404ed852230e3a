#include "scheduling/master/step.hpp"

namespace stoker {

StepResult Step::finish() && {
  StepResult result;
  result.wake_at = state.deadlines.arm();
  // Taken in any case, so that they do not pile up.
  auto* tenants = state.admission.tenants();
  result.changes = std::move(changes).finish(
      state, tenants != nullptr ? tenants->take_changes() : TenantChanges{});
  result.messages = std::move(messages_);
  return result;
}

} // namespace stoker
