#include "embedding/setting_parts.hpp"

#include <algorithm>

namespace stoker {

Setter SettingPart::find(const std::string& name) const {
  if (auto i = exact.find(name); i != exact.end())
    return i->second;
  auto dot = name.rfind('.');
  if (!resources || !name.starts_with(resources->prefix)
      || dot <= resources->prefix.size())
    return {};
  auto i = resources->of.find(name.substr(dot + 1));
  if (i == resources->of.end())
    return {};
  auto length = dot - resources->prefix.size();
  return i->second(name.substr(resources->prefix.size(), length));
}

std::vector<std::string> names_in(const std::vector<SettingPart>& parts) {
  std::vector<std::string> result;
  for (const auto& part : parts) {
    for (const auto& [name, set] : part.exact)
      result.push_back(name);
    if (part.resources)
      for (const auto& [what, set] : part.resources->of)
        result.push_back(part.resources->prefix + "NAME." + what);
  }
  std::sort(result.begin(), result.end());
  // Some are of several parts.
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Status apply_settings(const std::vector<Setting>& settings,
                      const std::vector<SettingPart>& parts) {
  for (const auto& x : settings) {
    auto known = false;
    for (const auto& part : parts) {
      auto set = part.find(x.name);
      if (!set)
        continue;
      known = true;
      if (auto expected = set(x.value))
        return invalid(x.origin + ": " + x.name + " is '" + x.value
                       + "', which is not " + *expected);
    }
    if (!known)
      return invalid(x.origin + ": " + x.name
                     + " is not a setting of this command");
  }
  return {};
}

} // namespace stoker
