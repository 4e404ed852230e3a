#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduling/application/application_session.hpp"
#include "simulation/elastic_driver.hpp"
#include "simulation/network.hpp"
#include "simulation/output_carrier.hpp"
#include "simulation/output_reading.hpp"
#include "simulation/peer_connection.hpp"

namespace stoker::simulation {

class MasterProcess;
class Referee;

/// A user's program that has an application on the cluster: an ApplicationSession
/// wired to the network and its clock. One of instances leaves when all have
/// done well, one of serving executors when it is told to. An elastic one has
/// serving executors that follow its load.
class ApplicationProcess : public Peer {
public:
  /// What makes an application elastic.
  struct Elastic {
    AllocationSettings settings;

    /// How its driver reaches its executors.
    ElasticTasks::Stop stop_executor;
  };

  ApplicationProcess(EventQueue& queue, const std::string& name,
                     std::uint64_t seed, ApplicationDescription description,
                     const std::optional<Elastic>& elastic, Network& network,
                     std::vector<MasterProcess*> masters, Referee& referee);

  /// Its instances' output is read. To be called before `start`.
  void read_output(OutputCarrier& carrier);

  void start();

  /// kill -9: it does not come back.
  void crash();

  /// It has what it wanted, and leaves.
  void leave();

  /// Elastic ones ask for themselves.
  void ask_for(int executors, std::optional<int> gang = std::nullopt);
  void kill_any_executor();

  void hear(const LinkPtr& link, LeaderEpoch from, const Statement& x) override;
  void link_broke(const LinkPtr& link) override;

  /// An elastic one's load grows, or is given up.
  void burst(int tasks, Duration longest);
  void cancel_load();

  // An executor has started and connects to its driver; it has ended.
  void executor_connects(int exec_id);
  void executor_is_gone(int exec_id);

  /// Returns nullptr if its output is not read.
  [[nodiscard]] OutputReading* reading() const noexcept {
    return reading_.get();
  }

  /// Null: it is not elastic.
  [[nodiscard]] const ElasticDriver* elastic() const noexcept {
    return elastic_.get();
  }

  [[nodiscard]] const ApplicationDescription& description() const noexcept {
    return description_;
  }
  [[nodiscard]] const EndpointId& endpoint() const noexcept {
    return endpoint_;
  }
  [[nodiscard]] const std::optional<AppId>& app_id() const {
    return session_->app_id();
  }
  [[nodiscard]] bool connected_to(const MasterProcess& x) const {
    return connection_.leads_to(x);
  }
  [[nodiscard]] std::optional<Instant>
  connected_since(const MasterProcess& x) const {
    return connection_.leads_since(x);
  }

  /// Instances that it knows to have done well.
  [[nodiscard]] const std::set<int>& done() const noexcept {
    return done_;
  }

  /// Why it is over; empty while it is not.
  [[nodiscard]] const std::string& dead() const noexcept {
    return dead_;
  }

  /// Since when a master has counted it as there, if one does.
  [[nodiscard]] std::optional<Instant> registered_since() const {
    return registered_since_;
  }

private:
  void believe(const MessageOrigin& from, const MessageToApplication& x);
  void report(const ConnectionEvent& x);
  void ask_master(Event x, ElasticDriver::OnAnswer on_answer);
  void ask_worker(OutputCarrier& carrier, const RequestOutput& x,
                  OutputReading::OnAnswer on_answer);
  void abandon_requests();
  void learn_of_output(const ApplicationNews& x);
  void apply(const ApplicationEvent& x);
  void carry_out(const ApplicationEffects& effects);
  void apply(const ConnectToMaster& x);
  void apply(const SendApplicationMessage& x);
  void apply(const AskToLeave& x);
  void apply(const InformApplication& x);
  void apply(const ApplicationWakeAt& x);
  void apply(const EndApplicationSession& x);

  void learn(const ApplicationConnected& x);
  void learn(const ApplicationLeaderChanged& x);
  void learn(const ApplicationDisconnected& x);
  void learn(const ApplicationSearches& x);
  void learn(const ApplicationDead& x);
  void learn(const ExecutorAdded& x);
  void learn(const ExecutorUpdated& x);
  void learn(const WorkerRemoved& x);

  Dice dice_;
  ApplicationDescription description_;
  EndpointId endpoint_;
  Network& network_;
  Referee& referee_;

  std::optional<ApplicationSession> session_;
  PeerConnection connection_;
  std::uint64_t next_request_ = 1;
  std::optional<std::uint64_t> leaving_;
  std::unique_ptr<ElasticDriver> elastic_;

  /// What it has asked its master, and who waits for the answer.
  std::map<std::uint64_t, ElasticDriver::OnAnswer> asked_;

  std::unique_ptr<OutputReading> reading_;
  std::map<std::uint64_t, OutputReading::OnAnswer> asked_workers_;

  /// Executors that it knows of and their index, if they have one.
  std::map<int, std::optional<int>> executors_;

  /// Those that were lost with their worker, which may come back with them.
  std::map<int, std::optional<int>> lost_;
  std::set<int> done_;
  std::string dead_;
  std::optional<Instant> registered_since_;

  /// The highest epoch heard of, and whether the application has to ignore what
  /// it hears now: its sender was left, or is deposed.
  LeaderEpoch heard_;
  bool has_to_ignore_ = false;
};

} // namespace stoker::simulation
