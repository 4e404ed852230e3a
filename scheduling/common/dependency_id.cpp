#include "scheduling/common/dependency_id.hpp"

#include <variant>

#include "scheduling/common/entity_id.hpp"

namespace stoker {

Result<Dependency> dependency_on(const std::string& id, bool success) {
  auto named = parse_entity_id(id);
  Dependency result;
  result.success = success;
  if (named && std::holds_alternative<AppId>(*named))
    result.app = std::get<AppId>(*named);
  else if (named && std::holds_alternative<DriverId>(*named))
    result.driver = std::get<DriverId>(*named);
  else
    return invalid("'" + id + "' is the id of no application or driver");
  return result;
}

} // namespace stoker
