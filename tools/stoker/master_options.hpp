#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "storage/message_log.hpp"
#include "tools/stoker/log_options.hpp"
#include "tools/stoker/network_options.hpp"
#include "tools/stoker/options.hpp"
#include "tools/stoker/program_log_options.hpp"
#include "tools/stoker/spark_port_options.hpp"
#include "tools/stoker/web_options.hpp"

namespace stoker {

/// What `stoker master` and `stoker local` both take.
struct MasterOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 7070;
  std::string data;
  MessageLogOptions log;

  /// Empty: no companies and users; applications are served in order.
  std::string tenants;
  std::optional<std::uint64_t> seed;
  NetworkOptions network;
  SparkPortOptions spark;
  WebOptions web;
  ProgramLogOptions program_log;
  ConfigOptions config;

  /// Begins the message log, if there is to be one.
  /// @throws std::runtime_error with one line when it cannot be written.
  [[nodiscard]] std::shared_ptr<MessageLogWriter>
  open_log(const ClusterConfig& cluster) const;

  /// The seed that was given, or one of this machine's randomness.
  [[nodiscard]] std::uint64_t seed_or_random() const;

  /// Where to listen. A port of 0 is replaced by one that is free, since a
  /// master has to know its own address before it speaks.
  [[nodiscard]] MasterAddress address() const;

  /// Fails for an address that others can reach without proof who they are, for a
  /// certificate that is no node's, and for users of Spark's that are unknown: before the
  /// master stores anything and leads, not when it listens.
  /// @throws CommandError
  void check(const ActorNetwork& opened) const;

  /// Reads the tenants file, if there is one, into the configuration.
  /// @throws CommandError
  void load_tenants(ClusterConfig& target) const;

  /// Reads it again; empty without one.
  [[nodiscard]] std::function<Result<TenantsConfig>()> tenants_loader() const;

  /// What a master that listens at `address` is called by others: by this
  /// machine's name, where it listens on all of its addresses.
  [[nodiscard]] static std::string url(const MasterAddress& address);
};

void add_master_options(CLI::App& app, MasterOptions& target);

} // namespace stoker
