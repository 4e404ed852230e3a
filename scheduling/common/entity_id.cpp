#include "scheduling/common/entity_id.hpp"

#include "scheduling/common/units.hpp"

namespace stoker {

std::optional<EntityId> parse_entity_id(const std::string& text) {
  if (text.starts_with("driver-"))
    return DriverId{text};
  if (text.starts_with("worker-"))
    return WorkerId{text};
  if (!text.starts_with("app-"))
    return std::nullopt;
  auto slash = text.find('/');
  if (slash == std::string::npos)
    return AppId{text};
  auto number = parse_count(text.substr(slash + 1));
  if (!number || *number < 0)
    return std::nullopt;
  return ExecutorId{AppId{text.substr(0, slash)}, *number};
}

} // namespace stoker
