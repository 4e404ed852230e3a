#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "scheduling/leadership/commit_queue.hpp"
#include "scheduling/master/cluster.hpp"
#include "simulation/network.hpp"
#include "simulation/shared_directory.hpp"

namespace stoker::simulation {

class Referee;

/// A master: a Cluster wired to a directory, to a network and to its clock, as
/// the actor is.
///
///              lock         led           commit fails, fenced, lock lost
///     WAITING ------> OPENING ------> LEADING -------+
///        ^               | fails                     |
///        +---- pause ----+---------------------------+
class MasterProcess : public Server {
public:
  MasterProcess(EventQueue& queue, std::string name, std::uint64_t seed,
                ClusterConfig config, Network& network,
                SharedDirectory& directory, Referee& referee);

  void start();

  /// kill -9, or the end of its machine.
  void crash();

  void hear(const LinkPtr& link, const Event& x,
            std::uint64_t request) override;
  void link_broke(const LinkPtr& link) override;

  /// For so long it does not see that its lock was taken away, as on a file
  /// system of the network.
  void overlook_lock(Duration lasts) {
    overlooks_until_ = queue().now() + lasts;
  }

  /// An operator has the tenants' rules read again.
  void reload(const TenantsConfig& tenants);

  [[nodiscard]] bool leading() const noexcept {
    return leading_ && up();
  }
  [[nodiscard]] const Cluster& cluster() const noexcept {
    return *cluster_;
  }
  [[nodiscard]] bool connected(const EndpointId& x) const {
    return connections_.contains(x);
  }

private:
  /// What one step says; and how many changes must have been committed before.
  struct Speech {
    std::vector<std::function<void()>> words;
    std::uint64_t changes_needed = 0;
  };
  using Queue = CommitQueue<Speech>;

  void wait_for_lock();
  void open();
  void step_down();
  void check_lock();

  void apply(const Event& x, const LinkPtr& link = {},
             std::uint64_t request = 0);
  void take(const StepResult& result, const LinkPtr& link,
            std::uint64_t request);
  void commit_more();
  void committed();
  void speak(const std::vector<Speech>& speeches);

  Dice dice_;
  ClusterConfig config_;
  Network& network_;
  SharedDirectory& directory_;
  Referee& referee_;

  std::optional<Cluster> cluster_;
  std::map<EndpointId, LinkPtr> connections_;
  Queue queue_to_commit_;
  bool leading_ = false;
  std::optional<std::uint64_t> hold_;
  Instant overlooks_until_;

  /// Counts leaderships of this life, so that the end of a commit for one that
  /// is over is ignored.
  std::uint64_t term_ = 0;

  /// Changes of this leadership that steps made, and that are committed.
  std::uint64_t changes_made_ = 0;
  std::uint64_t changes_committed_ = 0;
};

} // namespace stoker::simulation
