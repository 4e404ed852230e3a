#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "gateway/spark_gateway.hpp"

namespace stoker {

/// Whether, where and for whom a master listens to programs of Apache Spark's.
struct SparkPortOptions {
  /// Spark's own.
  static constexpr std::uint16_t default_port = 7077;

  /// 0: it does not. Unset: the default, unless another process has it.
  std::optional<std::uint16_t> port;

  std::string users = "own";

  /// Of drivers that do not say their version.
  std::vector<VersionRule> version_rules;

  /// Everybody may connect, also from other machines: nothing is proven or encrypted.
  bool insecure = false;

  /// Whose programs may use the master.
  /// @throws CommandError
  [[nodiscard]] SparkUsers allowed() const;

  /// What follows for a master that listens at `host`.
  /// @throws CommandError
  [[nodiscard]] std::optional<SparkGatewayConfig>
  config(const std::string& host) const;

  /// Opens the port. Fails as `SparkGateway::start`.
  /// @pre there is to be one
  /// @throws CommandError
  [[nodiscard]] Result<std::unique_ptr<SparkGateway>>
  open(caf::actor_system& system, const MasterActor& master,
       const FeedActor& feed, const std::string& host) const;

  /// Whether a master has to tell what it commits.
  [[nodiscard]] bool needs_feed() const noexcept {
    return port != 0;
  }
};

void add_spark_port_options(CLI::App& app, SparkPortOptions& target);

} // namespace stoker
