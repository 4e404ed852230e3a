#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "scheduling/common/instant.hpp"
#include "scheduling/common/random.hpp"
#include "scheduling/registration/failed_round.hpp"

namespace stoker {

/// How patiently a worker or an application looks for its master.
struct RegistrationConfig {
  /// How many masters are known; they are tried in turn.
  std::size_t masters = 1;

  /// The pause after the first failed round; it doubles up to the longest.
  Duration first_pause = std::chrono::milliseconds{100};
  Duration longest_pause = std::chrono::seconds{5};

  /// How long a master that was reached may take to answer.
  Duration answer_timeout = std::chrono::seconds{10};

  /// Without a master for so long, the search is over.
  Duration give_up_after = std::chrono::minutes{10};

  /// A search that has found no master yet is over when none will ever let us in. Later there
  /// is something to lose.
  bool gives_up_when_untrusted = false;

  /// Of the jitter, so that a thousand workers do not come back in step.
  std::uint64_t seed = 1;
};

/// Finds the active master among those known and stays registered with it,
/// across its loss. Pure: returns what to do next.
///
///      start             connected              registered
///     -------> CONNECTING ---------> REGISTERING -----------> REGISTERED
///               ^  ^  | failed        | standby,                |
///               |  |  v               v no answer               |
///               |  PAUSING <----------+                         |
///               |     | too long                                |
///               |     v                                         |
///               |    OVER                                       |
///               +-----------------------------------------------+
///                                 lost
class Registration {
public:
  /// Open a connection to master number `master`.
  struct Connect {
    std::size_t master = 0;
    friend bool operator==(const Connect&, const Connect&) = default;
  };
  /// Register over the connection that was made.
  struct Register {
    friend bool operator==(const Register&, const Register&) = default;
  };
  /// Nothing more will come; `reason` has the reasons of the last round.
  struct GiveUp {
    std::string reason;
    friend bool operator==(const GiveUp&, const GiveUp&) = default;
  };
  using Action = std::variant<std::monostate, Connect, Register, GiveUp>;

  enum class Phase { idle, connecting, registering, registered, pausing, over };

  explicit Registration(RegistrationConfig config);

  [[nodiscard]] Action start(Instant now);
  [[nodiscard]] Action connected(Instant now);

  /// The connection could not be made, broke, or leads to a master in STANDBY.
  [[nodiscard]] Action failed(Instant now, const std::string& reason,
                              MasterFailure failure
                              = MasterFailure::unreachable);

  void registered();

  /// The master asks to register again over the present connection.
  [[nodiscard]] Action register_again(Instant now);

  /// Nothing more will come.
  void stop();

  /// Time has passed; calling it early changes nothing.
  [[nodiscard]] Action tick(Instant now);

  /// When `tick` has something to do, if ever.
  [[nodiscard]] std::optional<Instant> due() const {
    return due_;
  }

  [[nodiscard]] Phase phase() const noexcept {
    return phase_;
  }

  /// Returns the reasons of the last round of the present search; empty: none has failed yet.
  [[nodiscard]] const std::string& failed_round() const noexcept {
    return failed_round_;
  }

private:
  Action connect();
  Action search(Instant now);
  void begin_search(Instant now);

  RegistrationConfig config_;
  Random random_;
  Phase phase_ = Phase::idle;
  bool was_registered_ = false;
  std::size_t master_ = 0;
  std::size_t failures_in_round_ = 0;
  Duration pause_{};
  Instant searching_since_;
  std::optional<Instant> due_;
  FailedRound round_;
  std::string failed_round_;
};

} // namespace stoker
