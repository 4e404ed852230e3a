#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "network/descriptor_shortage.hpp"
#include "network/door.hpp"
#include "network/door_threads.hpp"
#include "network/frame_budget.hpp"
#include "network/limited_log.hpp"
#include "network/lobby.hpp"
#include "network/pump.hpp"
#include "network/receiver.hpp"
#include "network/shares.hpp"

namespace stoker {

/// Threads of a listener: so connections that come delay no handshake, and handshakes delay no
/// peer that is let in.
struct ListenerThreads {
  DoorThreads& accepting;
  DoorThreads& handshakes;
  DoorThreads& traffic;
};

/// Accepts connections at one port, and lets those in that prove themselves.
class DoorListener : public std::enable_shared_from_this<DoorListener> {
public:
  DoorListener(ListenerThreads threads,
               std::shared_ptr<const DoorConfig> config,
               std::shared_ptr<LocalStreams> streams,
               std::shared_ptr<PeerDirectory> peers,
               const caf::strong_actor_ptr& actor,
               std::shared_ptr<Credentials> credentials,
               std::function<void()> on_refusal);

  Result<std::uint16_t> open(const std::string& host, std::uint16_t port);

  /// Accepts no more. Blocks until that is so.
  void close();

  // -- for those at the door --------------------------------------------------

  [[nodiscard]] Lobby& lobby() noexcept {
    return lobby_;
  }
  [[nodiscard]] FrameBudget& budget() noexcept {
    return *budget_;
  }

  /// A thread for the bytes of a connection that is let in.
  boost::asio::io_context& next_for_traffic() {
    return threads_.traffic.next();
  }

  /// Takes a place among those that are let in. Fails if there is none, or if this user, operator
  /// or node has its share (network/shares.hpp): others shall get in.
  Status take_place(const std::optional<Identity>& who);
  void leave_place(const std::optional<Identity>& who);

  [[nodiscard]] const DoorConfig& config() const noexcept {
    return *config_;
  }
  [[nodiscard]] const Credentials* credentials() const noexcept {
    return credentials_.get();
  }
  [[nodiscard]] PeerDirectory& peers() const noexcept {
    return *peers_;
  }
  /// Whom those that are let in speak to.
  [[nodiscard]] const std::shared_ptr<Receiver>& receiver() const noexcept {
    return receiver_;
  }

  /// Logs what was refused, and why; and tells that something was.
  void warn(const std::string& what);

  /// Logs that somebody could not be let in, with this `errno`.
  void note_shortage(int system_error) {
    shortage_.note(system_error);
  }

  /// Gives CAF its end of a stream.
  void admit(process::UniqueFd stream) {
    streams_->admit(port_, std::move(stream));
  }

private:
  void accept();
  void accept_later();
  void welcome(PlainStream socket);

  /// Whether the credentials are this process's owner's own: no other user of this machine has
  /// any that would let it in.
  [[nodiscard]] bool is_for_owner_alone() const;
  void turn_away(PlainStream& socket, uid_t user);

  ListenerThreads threads_;
  std::shared_ptr<const DoorConfig> config_;
  std::shared_ptr<LocalStreams> streams_;
  std::shared_ptr<PeerDirectory> peers_;
  std::shared_ptr<Receiver> receiver_;
  std::shared_ptr<Credentials> credentials_;
  std::uint16_t port_ = 0;
  boost::asio::io_context& context_;

  /// In the thread of `context_` alone; null: it is closed.
  std::unique_ptr<boost::asio::ip::tcp::acceptor> acceptor_;
  std::unique_ptr<boost::asio::steady_timer> pause_;

  LimitedLog refusals_{"connection-refused"};
  DescriptorShortage shortage_{"of workers, applications and commands"};
  std::function<void()> on_refusal_;
  Lobby lobby_;
  std::shared_ptr<FrameBudget> budget_;
  std::mutex mutex_;

  /// Those that are let in; under the lock.
  Shares places_;
};

} // namespace stoker
