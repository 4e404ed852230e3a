#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "messages/all.hpp"
#include "scheduling/master/events.hpp"
#include "scheduling/master/step_result.hpp"
#include "simulation/dice.hpp"
#include "simulation/process.hpp"

namespace stoker::simulation {

/// The answer to a request; nothing: the master is not the one to ask.
struct Answered {
  std::uint64_t request = 0;
  std::optional<Answer> answer;
};

/// All that a master's process says.
using Statement
    = std::variant<MasterMessage, LaunchExecutor, LaunchDriver, Answered>;

struct Link;
using LinkPtr = std::shared_ptr<Link>;

/// Who connects to masters: a worker, an application, a command line.
class Peer : public Process {
public:
  using Process::Process;
  virtual void hear(const LinkPtr& link, LeaderEpoch from, const Statement& x)
      = 0;
  virtual void link_broke(const LinkPtr& link) = 0;
};

/// Who is connected to.
class Server : public Process {
public:
  using Process::Process;
  virtual void hear(const LinkPtr& link, const Event& x, std::uint64_t request)
      = 0;
  virtual void link_broke(const LinkPtr& link) = 0;
};

enum class Side : std::size_t { peer, server };

/// A TCP connection between a life of a peer and a life of a server: what one
/// says arrives in order, or the connection breaks. Both ends notice that at
/// times of their own.
struct Link {
  struct End {
    bool open = true;

    /// What is on its way to this end, and how much of it is due but held up.
    /// Called with the connection, which it does not own: the two would keep
    /// each other.
    std::deque<std::function<void(const LinkPtr&)>> on_way;
    std::size_t held = 0;
    Instant last_due;
    std::uint64_t life = 0;
  };

  Peer* peer = nullptr;
  Server* server = nullptr;
  std::array<End, 2> ends;

  /// Nothing more can be said over it.
  bool broken = false;

  [[nodiscard]] End& end(Side side) {
    return ends[static_cast<std::size_t>(side)];
  }
  [[nodiscard]] Process& process(Side side) const {
    if (side == Side::peer)
      return *peer;
    return *server;
  }
};

/// Carries what processes say to each other: delayed, in order within a
/// connection and in any order between connections; cuts, and cables pulled.
class Network {
public:
  Network(EventQueue& queue, std::uint64_t seed)
      : queue_(queue), dice_(seed, "network") {
  }

  /// Calls back with the connection, or with nothing when it cannot be made.
  void connect(Peer& peer, Server& server,
               const std::function<void(const LinkPtr&)>& done);

  void say(const LinkPtr& link, Event x, std::uint64_t request = 0);
  void tell(const LinkPtr& link, LeaderEpoch from, Statement x);

  /// Calls `what` at one end of a connection when all that is on its way there has arrived.
  /// Drops it if the connection breaks before.
  void follow(const LinkPtr& link, Side to, std::function<void()> what);

  /// The connections of a process that has died.
  void drop(const Process& process);

  /// Breaks the connections of a process that lives.
  void break_links(const Process& process);

  /// From now on nothing passes between two processes, or between one and all
  /// others (an empty name).
  void cut(const std::string& a, const std::string& b);
  void mend(const std::string& a, const std::string& b);
  void mend_all();

  /// Everything takes so much longer.
  void set_extra_delay(Duration x) {
    auto was_slow = std::exchange(extra_delay_, x) > Duration{};
    if (!was_slow && x > Duration{})
      disturbance_.begin(queue_.now());
    else if (was_slow && x <= Duration{})
      disturbance_.end(queue_.now());
  }

  [[nodiscard]] Instant now() const {
    return queue_.now();
  }

  /// Cables were pulled, anywhere.
  [[nodiscard]] const Disturbance& disturbance() const noexcept {
    return disturbance_;
  }

  [[nodiscard]] bool is_cut(const Process& a, const Process& b) const;

private:
  void carry(const LinkPtr& link, Side to,
             std::function<void(const LinkPtr&)> what);
  void arrive(const LinkPtr& link, Side to);
  void fail(const LinkPtr& link);
  static void close(const LinkPtr& link, Side side);
  void close_later(const LinkPtr& link, Side side);
  void release();
  Duration delay();

  EventQueue& queue_;
  Dice dice_;
  std::vector<LinkPtr> links_;
  std::set<std::pair<std::string, std::string>> cuts_;
  Duration extra_delay_{};
  Disturbance disturbance_;
};

} // namespace stoker::simulation
