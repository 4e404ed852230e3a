#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulation/network.hpp"

namespace stoker::simulation {

class MasterProcess;
class Referee;

/// People at command lines: each request goes to one master after the other
/// until one of them answers it.
class CommandLine : public Peer {
public:
  CommandLine(EventQueue& queue, Network& network,
              std::vector<MasterProcess*> masters, Referee& referee);

  void request(Event x);

  /// Nobody waits for an answer any more.
  void give_up_all() {
    open_.clear();
  }

  void hear(const LinkPtr& link, LeaderEpoch from, const Statement& x) override;
  void link_broke(const LinkPtr& link) override;

private:
  struct Open {
    Event what;
    std::size_t attempts = 0;
  };

  void attempt(std::uint64_t number);
  void ask(std::uint64_t number, std::size_t attempt, const LinkPtr& link);
  void try_again(std::uint64_t number, std::size_t attempt);

  Network& network_;
  std::vector<MasterProcess*> masters_;
  Referee& referee_;
  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_ = 1;
};

} // namespace stoker::simulation
