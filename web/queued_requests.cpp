#include "web/queued_requests.hpp"

#include "scheduling/master/driver_admission.hpp"

namespace stoker {

std::map<std::string, pages::QueuedRequest>
requests_of(const StoredTables& tables,
            const std::vector<WaitingApplication>& queued) {
  std::map<std::string, pages::QueuedRequest> result;
  for (const auto& x : queued) {
    auto app = tables.applications().find(x.id);
    if (app != tables.applications().end()) {
      result[id_text(x)]
          = {app->second.requested, to_ms(app->second.submitted)};
      continue;
    }
    auto driver = tables.drivers().find(x.driver_id.value_or(DriverId{}));
    if (driver != tables.drivers().end())
      result[id_text(x)] = {whole_of(driver->second.description),
                            to_ms(driver->second.submitted)};
  }
  return result;
}

} // namespace stoker
