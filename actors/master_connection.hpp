#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/defaults.hpp"
#include "actors/interfaces.hpp"
#include "messages/caf_error.hpp"
#include "scheduling/registration/master_link.hpp"

namespace stoker {

/// An actor's end of its connection to a master: does what a MasterLink decides.
/// It opens and leaves connections, monitors the master, and reports what becomes
/// of them. It decides nothing but which handle belongs to which number.
///
/// @tparam Interface Of the actor that holds it in its state.
template <class Interface>
class MasterConnection {
public:
  using Self = typename Interface::pointer;

  /// Called in messages of their own, never while `open` runs.
  using Report = std::function<void(const ConnectionEvent&)>;

  /// Sets the actor's handler for messages about the end of others.
  /// @param timeout For an attempt to connect.
  MasterConnection(Self self, ConnectorActor connector, Report report,
                   std::chrono::seconds timeout = defaults::connect_timeout)
      : self_(self), connector_(std::move(connector)),
        report_(std::move(report)), timeout_(timeout) {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
  }

  MasterConnection(const MasterConnection&) = delete;
  MasterConnection& operator=(const MasterConnection&) = delete;

  void open(const ConnectToMaster& x) {
    leave();
    number_ = x.connection;
    self_->request(connector_, timeout_, x)
        .then(
            [this, number = x.connection](const caf::strong_actor_ptr& found) {
              // A handle that nobody wants any more would be monitored forever.
              if (number != number_)
                return;
              master_ = caf::actor_cast<MasterActor>(found);
              self_->monitor(master_);
              report_(MasterConnected{number});
            },
            [this, number = x.connection](const caf::error& e) {
              report_(MasterConnectionFailed{number, self_->system().render(e),
                                             failure_of(e)});
            });
  }

  static MasterFailure failure_of(const caf::error& e) {
    if (e == caf::make_error(Errc::untrusted))
      return MasterFailure::untrusted;
    return e == caf::make_error(Errc::refused) ? MasterFailure::refused
                                               : MasterFailure::unreachable;
  }

  void leave() {
    if (!master_)
      return;
    self_->demonitor(master_.address());
    master_ = nullptr;
  }

  /// The master that the actor is connected to; null if there is none.
  [[nodiscard]] const MasterActor& master() const noexcept {
    return master_;
  }

  /// Where the message comes from that is being handled.
  [[nodiscard]] MessageOrigin origin(LeaderEpoch epoch) const {
    auto from_master
        = master_
          && self_->current_sender()
                 == caf::actor_cast<caf::strong_actor_ptr>(master_);
    return {from_master ? number_ : 0, epoch};
  }

private:
  void on_down(const caf::down_msg& x) {
    if (!master_ || x.source != master_.address())
      return;
    master_ = nullptr;
    report_(MasterDisconnected{number_});
  }

  Self self_;
  ConnectorActor connector_;
  Report report_;
  std::chrono::seconds timeout_;
  MasterActor master_;
  ConnectionNumber number_ = 0;
};

} // namespace stoker
