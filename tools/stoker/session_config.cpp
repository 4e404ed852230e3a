#include "tools/stoker/session_config.hpp"

#include <filesystem>
#include <random>

#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"

namespace stoker {

RegistrationConfig registration_of(const AccessOptions& access,
                                   std::size_t masters) {
  RegistrationConfig result;
  result.masters = masters;
  result.give_up_after = access.patience;
  result.gives_up_when_untrusted = true;
  result.seed = std::random_device{}();
  return result;
}

JobSessionConfig session_config(const JobSettings& settings,
                                const AccessOptions& access,
                                const std::vector<MasterAddress>& masters) {
  JobSessionConfig result;
  result.application = settings.application;
  result.registration = registration_of(access, masters.size());
  result.jobs = settings.jobs;
  if (settings.allocation.enabled)
    result.allocation = settings.allocation;
  result.driver_host = settings.driver_host.empty()
                           ? output_host(masters.front().host, machine_name())
                           : settings.driver_host;
  result.driver_port = static_cast<std::uint16_t>(settings.driver_port);
  result.executor_command
      = {std::filesystem::canonical("/proc/self/exe"), "executor"};
  result.scratch_directory = std::filesystem::temp_directory_path();
  return result;
}

} // namespace stoker
