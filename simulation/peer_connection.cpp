#include "simulation/peer_connection.hpp"

#include <utility>

#include "simulation/master_process.hpp"

namespace stoker::simulation {

PeerConnection::PeerConnection(Peer& peer, Network& network,
                               std::vector<MasterProcess*> masters,
                               Report report)
    : peer_(peer), network_(network), masters_(std::move(masters)),
      report_(std::move(report)) {
}

void PeerConnection::open(const ConnectToMaster& x) {
  link_.reset();
  number_ = x.connection;
  network_.connect(
      peer_, *masters_.at(x.master),
      [this, attempt = ++attempt_, number = number_](const LinkPtr& found) {
        if (attempt != attempt_)
          return;
        // It may have broken before it was known here.
        link_ = found && !found->broken ? found : nullptr;
        if (link_ && link_ != last_link_) {
          last_link_ = link_;
          last_link_since_ = network_.now();
        }
        if (link_)
          report_(MasterConnected{number});
        else
          report_(MasterConnectionFailed{number, "refused"});
      });
}

void PeerConnection::drop() {
  link_.reset();
  ++attempt_;
}

void PeerConnection::link_broke(const LinkPtr& link) {
  if (link != link_)
    return;
  link_.reset();
  report_(MasterDisconnected{number_});
}

MessageOrigin PeerConnection::origin(const LinkPtr& link,
                                     LeaderEpoch epoch) const {
  return {link == link_ ? number_ : 0, epoch};
}

bool PeerConnection::leads_to(const MasterProcess& x) const {
  return link_ && !link_->broken && link_->server == &x
         && !network_.is_cut(peer_, x);
}

std::optional<Instant>
PeerConnection::leads_since(const MasterProcess& x) const {
  return leads_to(x) ? std::optional{last_link_since_} : std::nullopt;
}

} // namespace stoker::simulation
