#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include "messages/result.hpp"
#include "network/address.hpp"
#include "network/credentials.hpp"
#include "network/door.hpp"
#include "network/local_streams.hpp"

namespace stoker {

/// This process's end of the network between actors: one actor system behind a
/// door. One a process: CAF knows a network by host and process id, so two of them
/// would be taken for one. It knows no actors of ours; listeners for other
/// protocols than CAF's stand beside it.
class ActorNetwork {
public:
  /// Reaches nobody, and is reached by nobody: for a cluster within one process.
  ActorNetwork();

  /// Who is at the other end of a connection has proven himself, as we have.
  /// @param credentials not null
  explicit ActorNetwork(std::shared_ptr<Credentials> credentials);

  /// Nobody proves anything, and nothing is encrypted: whoever can reach an address
  /// of this machine's loopback may do anything.
  static std::unique_ptr<ActorNetwork> without_proof();

  /// What was said before is still sent, for some seconds at most.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~ActorNetwork();

  ActorNetwork(const ActorNetwork&) = delete;
  ActorNetwork& operator=(const ActorNetwork&) = delete;

  [[nodiscard]] caf::actor_system& system() const;

  /// An attempt to connect has so much time: a master that is there gets the
  /// shortest, however little there is.
  static constexpr std::chrono::seconds shortest_attempt{1};
  static constexpr std::chrono::seconds longest_attempt{5};

  /// Lets others connect to an actor. `port` 0 chooses one. Returns the port.
  /// Fails as `check_host`.
  template <class Handle>
  Result<std::uint16_t> publish(const Handle& actor, const std::string& host,
                                std::uint16_t port) {
    return publish(actor, host, port, credentials_);
  }

  /// Is called by any thread when somebody is refused, or sent away, at what is published
  /// from now on.
  void on_refusal(std::function<void()> call) {
    on_refusal_ = std::move(call);
  }

  /// Whether an actor may be published there: without credentials that name hosts,
  /// anything but loopback is refused with `Errc::invalid_request`.
  [[nodiscard]] Status check_host(const std::string& host) const;

  /// As `publish`, for those who have other credentials than this process: an owner's
  /// commands, or the executors of an application, whose driver this is.
  template <class Handle>
  Result<std::uint16_t> publish(const Handle& actor, const std::string& host,
                                std::uint16_t port,
                                std::shared_ptr<Credentials> credentials) {
    return publish(caf::actor_cast<caf::strong_actor_ptr>(actor),
                   system().message_types(actor), host, port,
                   std::move(credentials));
  }

  /// Connects to the actor that is published at an address, or finds the
  /// connection that there is. Blocks, no longer than `timeout`. Fails as
  /// `Door::connect`.
  template <class Handle>
  Result<Handle> connect(const MasterAddress& address,
                         std::chrono::milliseconds timeout = longest_attempt) {
    auto found = connect(address, system().message_types<Handle>(), timeout);
    if (!found)
      return std::move(found).error();
    return caf::actor_cast<Handle>(*std::move(found));
  }

  /// Ends all connections that were made from here. What was said last may be lost: for who
  /// has every answer that he wants, and would not wait for one that hangs to read on.
  void hang_up();

  /// What this process proves itself with. Null: nobody proves anything, or reaches it.
  [[nodiscard]] const std::shared_ptr<Credentials>&
  credentials() const noexcept {
    return credentials_;
  }

  /// For connections that begin from now on; those of revoked certificates end. Logs what came of
  /// it. After an error all is as it was.
  Status read_credentials_again();

  /// Whether this process has certificates of a cluster, which may be read again.
  [[nodiscard]] bool has_files_of_cluster() const;

  /// Who is behind a node that has connected to here, or this process. Nothing:
  /// nobody proves anything, or it has left.
  [[nodiscard]] std::optional<Identity>
  identity_of(const caf::node_id& node) const;

  /// Whether others have to prove who they are.
  [[nodiscard]] bool asks_for_proof() const noexcept {
    return reach_ != Reach::anybody;
  }

private:
  class Config;

  /// Who may be reached, and reach this process.
  enum class Reach { nobody, those_with_proof, anybody };

  ActorNetwork(Reach reach, std::shared_ptr<Credentials> credentials);

  /// The signatures of an actor's messages, by their names on the wire.
  using Interface = std::set<std::string>;

  /// To one address. At most one is open: CAF knows a node by one connection.
  struct Line {
    std::timed_mutex mutex;
    std::optional<Door::Connection> connection;
    caf::strong_actor_ptr actor;
    Interface offered;
  };

  [[nodiscard]] Status check_host(const std::string& host,
                                  const Credentials* credentials) const;
  Result<std::uint16_t> publish(const caf::strong_actor_ptr& actor,
                                const Interface& interface,
                                const std::string& host, std::uint16_t port,
                                std::shared_ptr<Credentials> credentials);
  Result<caf::strong_actor_ptr> connect(const MasterAddress& address,
                                        const Interface& wanted,
                                        std::chrono::milliseconds timeout);

  /// Whether its actor can be spoken to. CAF may have given it up, though the connection
  /// stands.
  [[nodiscard]] static bool is_open(const Line& line);

  std::shared_ptr<Line> line_to(const MasterAddress& address);

  /// Has CAF speak to whoever is behind the connection. Returns whether it does.
  bool introduce(Line& line, std::chrono::milliseconds timeout);

  std::unique_ptr<Config> config_;
  std::unique_ptr<caf::actor_system> system_;
  std::shared_ptr<LocalStreams> streams_;
  std::unique_ptr<Door> door_;
  caf::io::middleman_actor middleman_;
  caf::actor heartbeats_;
  Reach reach_;
  std::shared_ptr<Credentials> credentials_;
  std::function<void()> on_refusal_;

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Line>> lines_;
};

} // namespace stoker
