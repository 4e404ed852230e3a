#include "messages/last_start.hpp"

namespace stoker {

DriverInfo by_last_start(
    const DriverInfo& driver,
    const std::function<std::optional<DriverInfo>(const DriverId&)>& find) {
  auto result = driver;
  while (result.relaunched_as) {
    auto next = find(*result.relaunched_as);
    if (!next)
      break;
    result = *std::move(next);
  }
  result.id = driver.id;
  result.relaunched_as = driver.relaunched_as;
  result.submitted_ms = driver.submitted_ms;
  return result;
}

} // namespace stoker
