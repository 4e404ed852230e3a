#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/actor_control_block.hpp>
#include <caf/node_id.hpp>

#include "messages/result.hpp"
#include "network/address.hpp"
#include "network/connection_owner.hpp"
#include "network/credentials.hpp"
#include "network/host_lookup.hpp"
#include "network/lobby.hpp"
#include "network/local_streams.hpp"
#include "network/peer_directory.hpp"

namespace stoker {

/// How much a door lets in.
struct DoorLimits {
  /// Peers that have proven who they are. 0: as many as there are descriptors for.
  std::size_t connections_max = 0;

  /// Those that have yet to.
  LobbyLimits lobby;

  /// How long that may take.
  std::chrono::milliseconds greeting_timeout{5'000};

  /// Who has been let in and says nothing for so long has gone, or hangs. CAF gives
  /// a sign of life every `heartbeat_every`.
  std::chrono::milliseconds silence_max{15'000};
  static constexpr std::chrono::milliseconds heartbeat_every{3'000};

  /// How far a peer's messages may be ahead of the actor that handles them: no more of
  /// it is read when two times as many bytes wait. Others are not held up by that.
  std::size_t ahead_max = std::size_t{1} << 20U;

  /// The largest message that a peer may send, in bytes: a node or an operator, a user, and
  /// between processes of one application.
  std::uint32_t message_max = std::uint32_t{32} << 20U;
  std::uint32_t user_message_max = std::uint32_t{4} << 20U;
  std::uint32_t application_message_max = std::uint32_t{64} << 20U;

  /// Memory for messages that have begun and are not complete, of all peers of one listener: in
  /// bytes, of a listener for all, and of one for an application.
  std::size_t unfinished_max = std::size_t{40} << 20U;
  std::size_t application_unfinished_max = std::size_t{256} << 20U;
};

struct DoorConfig {
  /// Of whoever connects to others. Null: nobody proves anything.
  std::shared_ptr<Credentials> credentials;
  DoorLimits limits;

  /// Of this process.
  caf::node_id node;

  /// How to find a host.
  LookUp look_up = look_up_by_system;

  /// How to find the user at the other end of a connection.
  std::function<PeerOwner(const SocketAddress& here, const SocketAddress& peer)>
      find_owner = find_peer_owner;
};

class DoorListener;
class DoorThreads;
struct Entrance;

/// All that comes from other processes, and goes there, passes here, before CAF
/// sees it:
///
///     accepted -> TLS, both sides prove themselves -> greeting -> let in
///
/// All peers that have not proven who they are share one budget of descriptors, handshakes and
/// memory for a bounded time; a silent one costs no processor. Accepting, handshakes, and the bytes
/// of peers that were let in have threads of their own.
class Door {
public:
  Door(DoorConfig config, std::shared_ptr<LocalStreams> streams);

  /// What CAF said before it ended its streams is still carried, for some seconds
  /// at most.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~Door();

  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Lets peers in that speak to an actor of this process, and to no other.
  /// `port` 0 chooses one. Returns the port.
  /// @param credentials Null: nobody proves anything, and nothing is encrypted.
  /// @param on_refusal Called by any thread when somebody is refused, or sent away; may be empty.
  Result<std::uint16_t> listen(const std::string& host, std::uint16_t port,
                               const caf::strong_actor_ptr& actor,
                               std::shared_ptr<Credentials> credentials,
                               std::function<void()> on_refusal);

  /// A connection from here to there.
  struct Connection {
    /// For CAF to connect to.
    std::string name;

    /// Ends it; from any thread but the door's, while there is a door. When this returns, CAF
    /// can see that it has ended: of a peer that it still has a connection to, it would give
    /// the actor that ends with that one, and close the new one.
    std::function<void()> close;

    /// Whether it has ended; from any thread.
    std::function<bool()> ended;
  };

  /// Lets nobody in any more, and ends attempts to connect.
  void close();

  /// Blocks until somebody there has let us in, or time is up. Fails with
  /// `Errc::not_alive`, with `Errc::no_listener` where no process listens, with `Errc::untrusted`
  /// where a certificate is not accepted, with `Errc::refused` where somebody is there who says
  /// why he lets us not in, or with `Errc::invalid_request` where trying again is of no use.
  Result<Connection> connect(const MasterAddress& to,
                             std::chrono::milliseconds timeout);

  /// Who is let in.
  [[nodiscard]] const PeerDirectory& peers() const noexcept;

private:
  std::shared_ptr<const DoorConfig> config_;
  std::shared_ptr<LocalStreams> streams_;
  std::shared_ptr<PeerDirectory> peers_;
  std::unique_ptr<DoorThreads> threads_;

  /// Made when it listens for the first time.
  std::unique_ptr<Entrance> entrance_;
  std::vector<std::shared_ptr<DoorListener>> listeners_;

  std::mutex mutex_;
  bool is_closed_ = false;

  /// End the attempts that are under way.
  std::list<std::function<void()>> attempts_;
};

} // namespace stoker
