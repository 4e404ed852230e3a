#include "scheduling/placement/requirements.hpp"

#include <cstddef>
#include <vector>

namespace stoker {

std::string format_amounts(const ResourceAmounts& x) {
  return format_requirements({x, {}});
}

std::string format_requirements(const Requirements& x) {
  std::vector<std::string> parts;
  for (const auto& [name, amount] : x.named)
    parts.push_back(std::to_string(amount) + ' ' + name);
  if (x.kind)
    parts.push_back(to_string(*x.kind));
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0)
      result += i + 1 == parts.size() ? " and " : ", ";
    result += parts[i];
  }
  return result;
}

} // namespace stoker
