#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scheduling/registration/master_link.hpp"
#include "simulation/network.hpp"

namespace stoker::simulation {

class MasterProcess;

/// A worker's or an application's end of its connection to a master: does what
/// a MasterLink decides, as actors/master_connection.hpp does with real ones.
class PeerConnection {
public:
  using Report = std::function<void(const ConnectionEvent&)>;

  /// @param report Called when something becomes of a connection.
  PeerConnection(Peer& peer, Network& network,
                 std::vector<MasterProcess*> masters, Report report);

  void open(const ConnectToMaster& x);

  /// The process has died: nothing more is reported of what it began.
  void drop();

  void link_broke(const LinkPtr& link);

  [[nodiscard]] const LinkPtr& link() const noexcept {
    return link_;
  }
  [[nodiscard]] std::size_t masters() const noexcept {
    return masters_.size();
  }
  [[nodiscard]] MessageOrigin origin(const LinkPtr& link,
                                     LeaderEpoch epoch) const;
  [[nodiscard]] bool leads_to(const MasterProcess& x) const;

  /// Since when this and no other connection is used, if it is there.
  [[nodiscard]] std::optional<Instant>
  leads_since(const MasterProcess& x) const;

private:
  Peer& peer_;
  Network& network_;
  std::vector<MasterProcess*> masters_;
  Report report_;
  LinkPtr link_;

  /// The last one, and since when it is that.
  LinkPtr last_link_;
  Instant last_link_since_;
  ConnectionNumber number_ = 0;

  /// Counts attempts in all lives of the process.
  std::uint64_t attempt_ = 0;
};

} // namespace stoker::simulation
