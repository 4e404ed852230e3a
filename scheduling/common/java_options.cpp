#include "scheduling/common/java_options.hpp"

namespace stoker {

std::optional<std::string_view>
property_of(const std::vector<std::string>& options, std::string_view name) {
  std::optional<std::string_view> result;
  for (std::string_view option : options) {
    if (!option.starts_with("-D"))
      continue;
    option.remove_prefix(2);
    if (option.starts_with(name) && option.substr(name.size()).starts_with('='))
      result = option.substr(name.size() + 1);
  }
  return result;
}

} // namespace stoker
