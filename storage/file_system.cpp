#include "storage/file_system.hpp"

#include <sys/vfs.h>

#include <algorithm>
#include <array>

namespace stoker {

namespace {

struct NetworkFileSystem {
  std::uint32_t magic;
  const char* name;
};

// Of linux/magic.h, and of systems that are not part of Linux.
constexpr std::array<NetworkFileSystem, 13> network_file_systems{{
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
}};

} // namespace

std::optional<std::string> network_file_system(std::uint64_t magic) {
  const auto* found = std::find_if(
      network_file_systems.begin(), network_file_systems.end(),
      [&](const NetworkFileSystem& x) { return x.magic == magic; });
  if (found == network_file_systems.end())
    return std::nullopt;
  return found->name;
}

std::optional<std::string> network_file_system_of(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0)
    return std::nullopt;
  // The kernel's type is signed on some machines.
  return network_file_system(static_cast<std::uint32_t>(status.f_type));
}

} // namespace stoker
