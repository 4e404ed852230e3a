#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "scheduling/leadership/action_queue.hpp"
#include "scheduling/leadership/leader_watch.hpp"
#include "scheduling/leadership/master_logic.hpp"
#include "simulation/network.hpp"
#include "simulation/shared_directory.hpp"
#include "storage/change_feed.hpp"

namespace stoker::simulation {

class Referee;

/// A master: a MasterLogic wired to a directory, to a network and to its clock,
/// as the actor is. It imitates these, and decides nothing.
class MasterProcess : public Server, private StepObserver {
public:
  MasterProcess(EventQueue& queue, const std::string& name, std::uint64_t seed,
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

  [[nodiscard]] bool holds_lock() const {
    return hold_ && directory_.holds(*hold_);
  }
  [[nodiscard]] bool leading() const noexcept {
    return up() && logic_->leads();
  }

  /// @pre it was started once
  [[nodiscard]] const Cluster& cluster() const noexcept {
    return logic_->cluster();
  }
  [[nodiscard]] bool connected(const EndpointId& x) const {
    return logic_->connections().find(x).has_value();
  }

  /// What followers of this leadership know to be committed.
  [[nodiscard]] StoredState followed() const {
    return *feed_.read({}).snapshot;
  }

private:
  void stepped(const Cluster& cluster, const EndpointId& from,
               const Event& event, const StepResult& result) override;

  void perform(MasterActions actions);
  void act(const ContendForLeadership& x);
  void act(const ResignLeadership& x);
  void act(const BeginLeadership& x);
  void act(const CommitBatch& x);
  void act(const CheckLeadership& x);
  void act(const PublishBatch& x);
  void act(const Outbox& x);
  void act(const LeavePeer& x);
  void act(const WakeMaster& x);
  void act(const ShowLife& x);
  void act(const StoreHangs& x);
  void act(const LogRefusal& x);

  void beat();
  void check_that_it_leads();
  void watch_leader();
  void end_and_start_again();
  void wait_for_lock(TermNumber term);
  void check_lock(TermNumber term);
  void after_disk(Duration lasts, std::function<void()> what);
  void send(LeaderEpoch epoch, const Outbox::Message& x);
  void send(LeaderEpoch epoch, const Outbox::Response& x);
  [[nodiscard]] PeerNumber number_of(const LinkPtr& link);
  [[nodiscard]] PeerNumber find(const LinkPtr& link) const;
  void check_that_it_is_committed(const Outbox& x) const;
  void check_that_it_is_gone(const EndpointId& x) const;
  void check_that_they_are_connected() const;

  Dice dice_;
  ClusterConfig config_;
  Network& network_;
  SharedDirectory& directory_;
  Referee& referee_;

  std::optional<MasterLogic> logic_;
  ActionQueue actions_;
  std::optional<JournalSession> journal_;
  ChangeFeed feed_;

  std::map<PeerNumber, LinkPtr> links_;
  PeerNumber last_link_ = 0;

  /// Who has registered over them since it stood by last.
  std::map<LinkPtr, EndpointId> registered_;

  /// Who asked, and the number that he has given his question.
  struct Asked {
    LinkPtr link;
    std::uint64_t request = 0;
  };
  std::map<RequestNumber, Asked> requests_;
  RequestNumber last_request_ = 0;

  std::optional<std::uint64_t> hold_;
  Instant overlooks_until_;
  std::uint64_t signs_ = 0;
  LeaderWatch watch_;
  bool watches_ = false;
  int deposed_for_beats_ = 0;

  /// The thread of the journal does one thing at a time.
  Instant disk_busy_until_;

  StepNumber steps_ = 0;

  /// How many changes of this leadership were made, by the number of the last
  /// step that made some; and how many are committed.
  std::map<StepNumber, std::uint64_t> changes_made_;
  std::uint64_t changes_committed_ = 0;
};

} // namespace stoker::simulation
