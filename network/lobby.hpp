#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace stoker {

/// How much peers get that have yet to prove themselves, all together and each.
struct LobbyLimits {
  /// Connections that are open at once.
  std::size_t connections_max = 256;

  /// Handshakes that proceed at once: of all peers, and of one peer.
  std::size_t turns_max = 64;
  std::size_t turns_each_max = 16;

  /// For so long a handshake counts as one that proceeds. So one peer begins
  /// `turns_each_max` in this time, as long as none succeeds.
  std::chrono::milliseconds turn_time{100};
};

/// The connections that have yet to prove themselves, by their peers: a user of this machine, or
/// an address elsewhere. Decides who has a place, and whose handshake proceeds. May be used by any
/// thread; the functions that it is given are called without its lock, and must not block.
///
///     enter -> idle -> ask_for_turn -> waits -> its turn -> end_turn -> idle
///                                                   \-> leave
///
/// If there is no place left, the peer with the most connections loses one: the oldest that has
/// been idle for the time of a turn, or else the newest.
class Lobby {
public:
  using Clock = std::chrono::steady_clock;
  using Ticket = std::uint64_t;

  explicit Lobby(LobbyLimits limits) : limits_(limits) {
  }

  [[nodiscard]] const LobbyLimits& limits() const noexcept {
    return limits_;
  }

  /// A connection has come.
  /// @param close Closes it when its place goes to another one.
  /// @return std::nullopt if it gets no place.
  std::optional<Ticket> enter(const std::string& peer, Clock::time_point now,
                              std::function<void()> close);

  /// The connection has something to say. Calls `begin` at once, or later; never if it leaves
  /// before.
  void ask_for_turn(Ticket x, std::function<void()> begin);

  /// The time of its turn is over. To be called even if it has left.
  void end_turn(Ticket x);

  /// It has proven itself: its place is free, and its turn is over.
  void prove(Ticket x);

  /// It has closed: its place is free.
  void leave(Ticket x);

  /// How many connections a peer has here.
  [[nodiscard]] std::size_t count_of(const std::string& peer) const;

private:
  struct Entry {
    std::string peer;
    Clock::time_point entered;
    std::function<void()> close;

    /// Set while it waits for its turn.
    std::function<void()> begin;
    bool is_idle = true;
  };

  struct Peer {
    /// Those that are here, and those that wait, from the oldest on.
    std::set<Ticket> all;
    std::deque<Ticket> waiting;
    std::size_t turns = 0;
  };

  using Calls = std::deque<std::function<void()>>;

  // Each @pre: the lock is held.
  [[nodiscard]] std::optional<Ticket>
  dispensable_for(const std::string& newcomer, Clock::time_point now) const;
  void remove(Ticket x);
  void release_turn(Ticket x);
  void begin_next(Calls& out);
  void forget_if_empty(const std::string& peer);

  static void call_all(const Calls& calls);

  LobbyLimits limits_;
  mutable std::mutex mutex_;
  Ticket last_ = 0;
  std::map<Ticket, Entry> entries_;
  std::map<std::string, Peer> peers_;

  /// Whose turn it is, with their peers: some may have left.
  std::map<Ticket, std::string> turns_;
};

} // namespace stoker
