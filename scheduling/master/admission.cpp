#include "scheduling/master/admission.hpp"

#include <algorithm>
#include <cassert>

namespace stoker {

Admission::Admission(const std::optional<TenantsConfig>& tenants) {
  if (tenants)
    tenants_.emplace(*tenants);
}

QueuePosition Admission::admit(AppKey app) {
  QueuePosition result{next_++, app};
  admitted_.insert(admitted_.end(), result);
  return result;
}

void Admission::restore(QueuePosition position) {
  auto added = admitted_.insert(position).second;
  assert(added);
  static_cast<void>(added);
  next_ = std::max(next_, position.position + 1);
}

void Admission::restore_driver(std::uint64_t position) noexcept {
  next_ = std::max(next_, position + 1);
}

void Admission::remove(QueuePosition position) {
  admitted_.erase(position);
}

} // namespace stoker
