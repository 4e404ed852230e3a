#include "embedding/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace stoker {

namespace {

namespace fs = std::filesystem;

/// The numbers at the beginning of a file. "max" is none.
std::vector<std::int64_t> numbers_of(const fs::path& file) {
  std::vector<std::int64_t> result;
  std::ifstream in{file};
  for (std::int64_t x = 0; in >> x;)
    result.push_back(x);
  return result;
}

template <class T>
void tighten(std::optional<T>& limit, T x) {
  limit = limit ? std::min(*limit, x) : x;
}

void limit_memory(ControlGroupLimits& limits, const fs::path& file) {
  if (auto bytes = numbers_of(file); !bytes.empty() && bytes.front() > 0)
    tighten(limits.memory_bytes, bytes.front());
}

/// A time that may be used in each period, both in microseconds.
void limit_cores(ControlGroupLimits& limits, std::int64_t quota,
                 std::int64_t period) {
  if (quota <= 0 || period <= 0)
    return;
  auto cores = quota / period + (quota % period != 0 ? 1 : 0);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  tighten(limits.cores, static_cast<int>(std::min(cores, most)));
}

void read_version_2(ControlGroupLimits& limits, const fs::path& group) {
  limit_memory(limits, group / "memory.max");
  if (auto times = numbers_of(group / "cpu.max"); times.size() == 2)
    limit_cores(limits, times[0], times[1]);
}

void read_version_1(ControlGroupLimits& limits, const fs::path& group) {
  limit_memory(limits, group / "memory.limit_in_bytes");
  auto quota = numbers_of(group / "cpu.cfs_quota_us");
  auto period = numbers_of(group / "cpu.cfs_period_us");
  if (quota.size() == 1 && period.size() == 1)
    limit_cores(limits, quota[0], period[0]);
}

/// Calls with a group and with each that it is in, up to `root`.
template <class Read>
void climb(const fs::path& root, const fs::path& path, Read read) {
  auto inside = path.relative_path().lexically_normal();
  // What is outside of a container's own groups is written with "..".
  if (!inside.empty() && *inside.begin() == "..")
    inside.clear();
  for (;; inside = inside.parent_path()) {
    read(root / inside);
    if (inside.empty())
      return;
  }
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string part; std::getline(in, part, separator);)
    result.push_back(part);
  return result;
}

} // namespace

ControlGroupLimits read_control_groups(const fs::path& mount,
                                       std::istream& membership) {
  ControlGroupLimits result;
  for (std::string line; std::getline(membership, line);) {
    auto first = line.find(':');
    auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    auto controllers = line.substr(first + 1, second - first - 1);
    fs::path path{line.substr(second + 1)};
    if (controllers.empty()) {
      auto read = [&](const fs::path& x) { read_version_2(result, x); };
      climb(mount, path, read);
      // Beside version 1.
      climb(mount / "unified", path, read);
    }
    for (const auto& name : split(controllers, ','))
      if (name == "memory" || name == "cpu")
        climb(mount / name, path,
              [&](const fs::path& x) { read_version_1(result, x); });
  }
  return result;
}

} // namespace stoker
