#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/chaos_plan.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/cluster/network.hpp"

namespace stoker::test {

/// Masters on one data directory and workers, each on a machine of its own
/// where that can be had, with everything that a plan does to them.
class ChaosCluster : public Cluster {
public:
  using Clock = std::chrono::system_clock;

  /// When something was wrong with a worker or a master, whose number is
  /// `target`; without an end, it still is.
  struct Trouble {
    Fault what = Fault::KILL_WORKER;
    int target = 1;
    Clock::time_point begin;
    std::optional<Clock::time_point> end;

    /// Whether it was so for some of the time between two times, in
    /// milliseconds since 1970.
    [[nodiscard]] bool overlaps(std::int64_t from_ms, std::int64_t to_ms) const;
  };

  /// Starts all, and waits until a master leads and all workers are with it.
  explicit ChaosCluster(const ChaosOptions& options);

  void begin(const PlannedFault& fault);
  void end(const PlannedFault& fault);

  /// What has ended although nobody killed it, for people.
  [[nodiscard]] std::vector<std::string> broken();

  /// Stops all with TERM, the workers first. Returns what did not end well.
  [[nodiscard]] std::vector<std::string> stop();

  [[nodiscard]] const std::vector<Trouble>& troubles() const noexcept {
    return troubles_;
  }

  /// When the lock was removed last: for a moment two masters lead then.
  [[nodiscard]] Clock::time_point lock_removed() const noexcept {
    return lock_removed_;
  }

private:
  struct Member {
    std::string name;
    int machine = 0;
    std::vector<std::string> words;
    Process* process = nullptr;
    bool down = false;
  };

  void make_network(int machines);
  [[nodiscard]] std::string host_of(int machine) const;
  void add(std::vector<Member>& group, const std::string& kind, int machine,
           std::vector<std::string> words) const;
  void start(Member& member);
  [[nodiscard]] Member& member_of(const PlannedFault& fault);

  std::unique_ptr<Network> network_;
  std::vector<std::string> clients_;
  std::vector<Member> masters_;
  std::vector<Member> workers_;
  std::vector<Trouble> troubles_;
  Clock::time_point lock_removed_;
};

/// Whether this harms a worker rather than a master.
bool is_of_worker(Fault fault);

} // namespace stoker::test
