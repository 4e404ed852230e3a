#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "messages/leader_epoch.hpp"
#include "messages/worker.hpp"
#include "scheduling/registration/registration.hpp"

namespace stoker {

/// Numbers the connections of one link, from 1 on. 0 names none.
using ConnectionNumber = std::uint64_t;

// -- events -------------------------------------------------------------------

struct MasterConnected {
  ConnectionNumber connection = 0;
};
struct MasterConnectionFailed {
  ConnectionNumber connection = 0;
  std::string reason;

  MasterFailure failure = MasterFailure::unreachable;
};
struct MasterDisconnected {
  ConnectionNumber connection = 0;
};

using ConnectionEvent
    = std::variant<MasterConnected, MasterConnectionFailed, MasterDisconnected>;

/// Where a message of a master comes from.
struct MessageOrigin {
  /// The connection that it came over. 0: none that the host still has.
  ConnectionNumber connection = 0;

  /// The leadership that the master speaks for.
  LeaderEpoch epoch;
};

// -- effects ------------------------------------------------------------------

/// Leave the present connection, if there is one, and open another, to master
/// number `master`. Then feed MasterConnected or MasterConnectionFailed back,
/// and MasterDisconnected when it breaks.
struct ConnectToMaster {
  std::size_t master = 0;
  ConnectionNumber connection = 0;
};

// -- the state machine --------------------------------------------------------

/// The link of a worker or an application to its master: searches for the
/// active master (see Registration), numbers the connections, and decides whose
/// messages count.
///
/// A message counts if it came over the present connection, and if its sender
/// has not been deposed: messages of an epoch that is lower than the highest one
/// heard of are ignored, and another master is looked for.
///
/// Events of connections that were left since are ignored.
class MasterLink {
public:
  using Register = Registration::Register;
  using GiveUp = Registration::GiveUp;

  /// What the owner has to do next.
  using Action
      = std::variant<std::monostate, ConnectToMaster, Register, GiveUp>;

  /// What to do with a message.
  enum class Admission {
    accept,

    /// It came over a connection that was left.
    ignore,

    /// Its sender has been deposed: ignore it, and search on.
    search_on,
  };

  explicit MasterLink(RegistrationConfig config);

  [[nodiscard]] Action start(Instant now);

  [[nodiscard]] Action on(Instant now, const MasterConnected& x);
  [[nodiscard]] Action on(Instant now, const MasterConnectionFailed& x);
  [[nodiscard]] Action on(Instant now, const MasterDisconnected& x);

  [[nodiscard]] Admission admit(const MessageOrigin& from);

  /// The master has accepted the registration, or leads now and knows the
  /// registration from before.
  void registered();

  /// The highest that was heard of.
  [[nodiscard]] LeaderEpoch epoch() const noexcept {
    return epoch_;
  }

  /// Looks for another master. Does nothing while a search pauses.
  [[nodiscard]] Action search_on(Instant now, const std::string& reason);

  /// The master asks to register again over the present connection.
  [[nodiscard]] Action register_again(Instant now);

  /// Looks for no master any more. The present connection stays.
  void stop_searching();

  /// Time has passed; calling it early changes nothing.
  [[nodiscard]] Action tick(Instant now);

  /// When `tick` has something to do, if ever.
  [[nodiscard]] std::optional<Instant> due() const {
    return registration_.due();
  }

  /// Whether an event is of the present connection, or of the attempt at one.
  template <class T>
  [[nodiscard]] bool is_present(const T& event) const noexcept {
    return event.connection == connection_;
  }

  /// The number of the present connection, or of the attempt at one.
  [[nodiscard]] ConnectionNumber connection() const noexcept {
    return connection_;
  }

  [[nodiscard]] bool is_connected() const noexcept {
    return connected_;
  }
  [[nodiscard]] bool is_registered() const noexcept {
    return registration_.phase() == Registration::Phase::registered;
  }

  /// Returns why the last round of the present search failed; empty: none has failed yet.
  [[nodiscard]] const std::string& failed_round() const noexcept {
    return registration_.failed_round();
  }

  /// Whether an attempt fails for a reason that none had before it in the present search. To
  /// be asked before `on`. Of many reasons only the first are new.
  [[nodiscard]] bool is_new_failure(const MasterConnectionFailed& x) const;

  /// Connections that have broken, or were left, since the last registration. A master that
  /// ends may let somebody in once more, so that one loss has several.
  [[nodiscard]] int breaks() const noexcept {
    return breaks_;
  }

private:
  Action act(const Registration::Action& x);

  Registration registration_;
  ConnectionNumber connection_ = 0;
  bool connected_ = false;

  /// The reasons of failed attempts in the present search, each once.
  std::set<std::string> failures_;
  int breaks_ = 0;

  /// The highest one heard of.
  LeaderEpoch epoch_;
};

// Why another master is looked for, as logs and users see it.
inline constexpr const char* connection_broke
    = "the connection to the master broke";
inline constexpr const char* master_deposed = "the master has been replaced";
inline constexpr const char* master_in_standby = "the master is STANDBY";

/// Why the master that sent it is left.
[[nodiscard]] std::string reason_of(const MasterInStandby& x);

} // namespace stoker
