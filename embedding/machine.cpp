#include "embedding/machine.hpp"

#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "messages/named_resources.hpp"

extern char** environ;

namespace stoker {

int machine_cores() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&cpus));
}

std::int64_t machine_memory_mb() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0)
    return 512;
  auto total_mb = static_cast<std::int64_t>(
      (static_cast<std::uint64_t>(info.totalram) * info.mem_unit) >> 20);
  return std::max<std::int64_t>(512, total_mb - 1024);
}

std::string machine_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0')
    return "localhost";
  return name.data();
}

std::map<std::string, std::string> inherited_environment() {
  std::map<std::string, std::string> result;
  for (auto** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text{*entry};
    auto equals = text.find('=');
    if (equals == std::string_view::npos || text.starts_with("STOKER_"))
      continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::string default_state_directory() {
  if (const auto* state = std::getenv("XDG_STATE_HOME");
      state != nullptr && *state == '/')
    return std::string{state} + "/stoker";
  if (const auto* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string{home} + "/.local/state/stoker";
  return "/var/tmp/stoker-" + std::to_string(getuid());
}

ResourceAddresses dealt(const ResourceAddresses& all, int worker, int workers) {
  ResourceAddresses result;
  for (const auto& [name, addresses] : all)
    for (auto i = static_cast<std::size_t>(worker); i < addresses.size();
         i += static_cast<std::size_t>(workers))
      result[name].push_back(addresses[i]);
  return result;
}

} // namespace stoker
