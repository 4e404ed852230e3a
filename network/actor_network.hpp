#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include "messages/result.hpp"
#include "network/address.hpp"
#include "network/tls_config.hpp"

namespace stoker {

/// This process's end of the network between actors: one actor system, with TLS
/// where it is configured. One a process: CAF knows a network by host and process
/// id, so two of them would be taken for one. It knows no actors of ours;
/// listeners for other protocols than CAF's stand beside it.
class ActorNetwork {
public:
  /// @pre `validate(tls)`
  explicit ActorNetwork(const TlsConfig& tls);
  ~ActorNetwork();

  ActorNetwork(const ActorNetwork&) = delete;
  ActorNetwork& operator=(const ActorNetwork&) = delete;

  [[nodiscard]] caf::actor_system& system() const;

  /// Lets others connect to an actor. `port` 0 chooses one. Returns the port.
  /// Anything but loopback is refused without TLS.
  template <class Handle>
  Result<std::uint16_t> publish(const Handle& actor, const std::string& host,
                                std::uint16_t port) {
    return publish(caf::actor_cast<caf::strong_actor_ptr>(actor),
                   system().message_types(actor), host, port);
  }

  /// Connects to the actor that is published at an address, if it has the
  /// interface of Handle. Blocks, for some seconds at most when nobody answers.
  /// Fails with `Errc::not_alive`.
  template <class Handle>
  Result<Handle> connect(const MasterAddress& address) {
    auto found = connect(address, system().message_types<Handle>());
    if (!found)
      return std::move(found).error();
    return caf::actor_cast<Handle>(*std::move(found));
  }

private:
  class Config;

  /// The signatures of an actor's messages, by their names on the wire.
  using Interface = std::set<std::string>;

  /// What opens and accepts connections.
  [[nodiscard]] caf::io::middleman_actor middleman() const;

  Result<std::uint16_t> publish(const caf::strong_actor_ptr& actor,
                                const Interface& interface,
                                const std::string& host, std::uint16_t port);
  Result<caf::strong_actor_ptr> connect(const MasterAddress& address,
                                        const Interface& wanted);

  std::unique_ptr<Config> config_;
  std::unique_ptr<caf::actor_system> system_;
  bool tls_;
};

} // namespace stoker
