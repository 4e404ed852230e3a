#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/expected.hpp>
#include <caf/typed_actor.hpp>

#include "actors/interfaces.hpp"
#include "network/address.hpp"

namespace stoker {

/// Certificates for mutual TLS, as PEM files: all three, or none.
struct TlsConfig {
  std::string certificate;
  std::string key;
  std::string authority;

  [[nodiscard]] bool enabled() const noexcept {
    return !certificate.empty();
  }
};

/// Returns what is wrong, in one line, or nothing: a file that is missing, not
/// readable, or not what it should be, or some files given and others not.
std::optional<std::string> validate(const TlsConfig& config);

/// This process's end of the network: one actor system, with TLS where it is
/// configured. One a process: CAF knows a network by host and process id, so two
/// of them would be taken for one.
class ActorNetwork {
public:
  /// @pre `!validate(tls)`
  explicit ActorNetwork(const TlsConfig& tls);
  ~ActorNetwork();

  ActorNetwork(const ActorNetwork&) = delete;
  ActorNetwork& operator=(const ActorNetwork&) = delete;

  [[nodiscard]] caf::actor_system& system() const;

  /// Lets others connect to a master. `port` 0 chooses one. Returns the port,
  /// or what is wrong, in one line: anything but loopback is refused without
  /// TLS.
  std::variant<std::uint16_t, std::string> publish(const MasterActor& master,
                                                   const std::string& host,
                                                   std::uint16_t port);

  /// Opens a connection. Blocks, for some seconds at most when nobody answers.
  caf::expected<MasterActor> connect(const MasterAddress& address);

  /// A connector for actors of this network.
  ConnectorActor connector(std::vector<MasterAddress> masters);

private:
  class Config;
  std::unique_ptr<Config> config_;
  std::unique_ptr<caf::actor_system> system_;
  bool tls_;
};

/// A connector to a master of the same actor system.
ConnectorActor local_connector(caf::actor_system& system, MasterActor master);

} // namespace stoker
