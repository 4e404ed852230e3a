#include "scheduling/worker/resource_environment.hpp"

namespace stoker {

namespace {

/// "gpu-a100" becomes "GPU_A100".
std::string variable_name(const std::string& resource) {
  std::string result = "STOKER_RESOURCE_";
  for (auto c : resource)
    if (c >= 'a' && c <= 'z')
      result += static_cast<char>(c - 'a' + 'A');
    else
      result += c == '-' ? '_' : c;
  return result;
}

std::string joined(const std::vector<std::string>& addresses) {
  std::string result;
  for (const auto& x : addresses)
    result += (result.empty() ? "" : ",") + x;
  return result;
}

} // namespace

void add_resources(const ResourceAddresses& resources,
                   std::map<std::string, std::string>& environment,
                   bool for_cuda) {
  for (const auto& [name, addresses] : resources) {
    environment[variable_name(name)] = joined(addresses);
    if (for_cuda && name == "gpu")
      environment["CUDA_VISIBLE_DEVICES"] = joined(addresses);
  }
}

} // namespace stoker
