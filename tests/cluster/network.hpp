#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/sandbox.hpp"

namespace stoker::test {

/// Machines with a network of their own: each is a network namespace, and all
/// are connected by a switch. Nothing has to be removed: a namespace lasts as
/// long as the processes in it, which are the sandbox's.
class Network {
public:
  /// Makes machines 1 to `machines`.
  Network(Sandbox& sandbox, int machines);

  /// Why this cannot be had here, as where this is not root; nothing if it can.
  static std::optional<std::string> why_unavailable(Sandbox& sandbox);

  static std::string address(int machine);

  /// What to put before a command, to run it on a machine.
  [[nodiscard]] std::vector<std::string> on(int machine) const;

  /// Nothing reaches a machine or leaves it until it is reconnected, and nobody
  /// is told.
  void cut_off(int machine);
  void reconnect(int machine);

  /// Speaks TLS to a master, without a certificate, from a machine. Returns
  /// what the master says to a client that it took in: nothing, if it takes
  /// none in.
  [[nodiscard]] std::string speak_tls(int from, const std::string& address,
                                      std::uint16_t port) const;

  /// Sends `text` to a master without TLS. Returns what the master says.
  [[nodiscard]] std::string speak_plain(int from, const std::string& address,
                                        std::uint16_t port,
                                        const std::string& text) const;

private:
  Process& start_machine();
  void require(const std::vector<std::string>& words);
  void set_port(int machine, const std::string& state);

  Sandbox& sandbox_;
  Process* switch_ = nullptr;
  std::vector<Process*> machines_;
};

} // namespace stoker::test
