#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "messages/ids.hpp"
#include "scheduling/common/instant.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

/// How long to wait after something has found a full disk for the n-th time in a row: a
/// disk may get free within some seconds.
inline Duration full_disk_wait(int times) {
  constexpr Duration first = std::chrono::seconds{1};
  constexpr Duration longest = std::chrono::seconds{30};
  constexpr int doublings_max = 5;
  return std::min(first * (1 << std::clamp(times - 1, 0, doublings_max)),
                  longest);
}

/// Workers whose disks have no room for what tasks write. Such a worker gets no tasks
/// for a while, which is twice as long each time; afterwards the next tasks show whether
/// there is room.
class FullDisks {
public:
  /// A task found no room there.
  void found_full(Instant now, const WorkerId& worker) {
    auto& disk = disks_[worker];
    // Those that began together find the same.
    if (!disk.until)
      disk.until = now + full_disk_wait(++disk.times);
  }

  /// A task was done there. One that began before it was full shows nothing.
  void found_room(const WorkerId& worker) {
    auto found = disks_.find(worker);
    if (found != disks_.end() && !found->second.until)
      disks_.erase(found);
  }

  void forget(const WorkerId& worker) {
    disks_.erase(worker);
  }

  /// Whether it gets no tasks.
  [[nodiscard]] bool holds(const WorkerId& worker) const {
    auto found = disks_.find(worker);
    return found != disks_.end() && found->second.until;
  }

  /// When the next one gets tasks again.
  [[nodiscard]] std::optional<Instant> next() const {
    std::optional<Instant> result;
    for (const auto& [worker, disk] : disks_)
      result = earlier(result, disk.until);
    return result;
  }

  /// From now on those get tasks again that have waited. Returns whether there were any.
  bool expire(Instant now) {
    auto any = false;
    for (auto& [worker, disk] : disks_)
      if (disk.until && *disk.until <= now) {
        disk.until.reset();
        any = true;
      }
    return any;
  }

private:
  struct Disk {
    /// In a row.
    int times = 0;
    std::optional<Instant> until;
  };

  std::map<WorkerId, Disk> disks_;
};

} // namespace stoker
