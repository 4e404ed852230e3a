#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "network/actor_network.hpp"
#include "network/identity.hpp"
#include "network/tls_config.hpp"
#include "tools/stoker/option_defaults.hpp"

namespace stoker {

/// How a process proves itself to others, and others to it.
struct NetworkOptions {
  /// Disabled: by this user's own credentials, on this machine.
  TlsConfig tls;

  /// Not at all.
  bool insecure = false;
};

/// Adds the TLS options and `--insecure`.
void add_network_options(CLI::App& app, NetworkOptions& target);

/// Of those options, for a command that takes defaults from a file.
void add_network_rules(OptionRules& rules);

/// Opens this process's end of the network.
/// @param role What it is if it has this user's own credentials.
/// @throws CommandError
std::unique_ptr<ActorNetwork> open_network(const NetworkOptions& options,
                                           Role role);

/// This user's, for this machine.
/// @throws CommandError
std::shared_ptr<Credentials> own_credentials(Role role);

/// In whose name this process asks: its certificate's, if that is a user's, else
/// that of the user whom it belongs to.
std::string user_name(const NetworkOptions& options);

/// Returns the hosts that this process's certificate is for; empty without a certificate, or
/// if it is not a node's.
/// @throws CommandError
std::vector<std::string> certified_hosts(const NetworkOptions& options);

/// Fails if `open_network` would.
/// @throws CommandError
void check(const NetworkOptions& options, Role role);

/// What whoever serves without proof tells his operator.
void warn_if_insecure(const NetworkOptions& options);

/// Puts into the environment what commands need to reach a master that was
/// started with these options; takes from it what they do not.
void pass_on(const NetworkOptions& options);

} // namespace stoker
