#include "embedding/machine.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "embedding/control_groups.hpp"
#include "messages/named_resources.hpp"

namespace stoker {

namespace {

ControlGroupLimits own_limits() {
  std::ifstream membership{"/proc/self/cgroup"};
  return read_control_groups("/sys/fs/cgroup", membership);
}

} // namespace

int machine_cores() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
    return 1;
  auto count = CPU_COUNT(&cpus);
  return std::max(1, std::min(count, own_limits().cores.value_or(count)));
}

std::int64_t memory_to_offer_mb(std::int64_t total_bytes,
                                std::optional<std::int64_t> limit_bytes) {
  auto bytes = std::min(total_bytes, limit_bytes.value_or(total_bytes));
  return std::max<std::int64_t>(512, (bytes >> 20) - 1024);
}

std::int64_t machine_memory_mb() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0)
    return 512;
  auto total = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(info.totalram) * info.mem_unit);
  return memory_to_offer_mb(total, own_limits().memory_bytes);
}

std::string machine_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0')
    return "localhost";
  return name.data();
}

std::string public_host(const std::string& host) {
  return host == "0.0.0.0" || host == "::" ? machine_name() : host;
}

std::string host_of_local_workers(const std::string& machine) {
  return machine.find('_') == std::string::npos ? machine : "localhost";
}

std::optional<DriverId> own_driver() {
  const auto* id = std::getenv("STOKER_DRIVER_ID");
  return id != nullptr && *id != '\0' ? std::optional{DriverId{id}}
                                      : std::nullopt;
}

TlsConfig with_revoked_list(TlsConfig x) {
  const auto* list = std::getenv("STOKER_TLS_REVOKED");
  if (list != nullptr && x.enabled() && x.revoked.empty())
    x.revoked = list;
  return x;
}

std::string default_state_directory() {
  if (const auto* state = std::getenv("XDG_STATE_HOME");
      state != nullptr && *state == '/')
    return std::string{state} + "/stoker";
  if (const auto* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string{home} + "/.local/state/stoker";
  return own_directory("/var/tmp/stoker-" + std::to_string(geteuid()));
}

std::string own_directory(const std::string& path) {
  // Others may make directories beside it, and so take a name first.
  constexpr int names_max = 1000;
  auto result = path;
  for (int i = 2; i <= names_max; ++i) {
    struct stat status {};
    constexpr mode_t others_write = S_IWGRP | S_IWOTH;
    if (lstat(result.c_str(), &status) != 0)
      return result;
    if (S_ISDIR(status.st_mode) && status.st_uid == geteuid()
        && (status.st_mode & others_write) == 0)
      return result;
    result = path + '-' + std::to_string(i);
  }
  return result;
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
