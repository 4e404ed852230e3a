#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "web/web_server.hpp"

namespace stoker {

/// What a master serves over HTTP, and where.
struct WebOptions {
  /// Spark's own.
  static constexpr std::uint16_t default_web_port = 8080;
  static constexpr std::uint16_t default_rest_port = 6066;

  /// Where pages are. What others can reach needs certificates.
  std::string web_host = "127.0.0.1";

  // 0: nowhere. Unset: the default, unless another process has it.
  std::optional<std::uint16_t> web_port;
  std::optional<std::uint16_t> rest_port;

  /// Whoever reaches the pages may read the metrics, without saying who he is.
  bool has_public_metrics = false;

  /// Whether pages are served, which need a feed of what the master commits.
  [[nodiscard]] bool has_pages() const {
    return web_port != 0;
  }

  /// Fails where pages would be at an address that others can reach, and nothing
  /// proves who reads them. @throws CommandError
  void check_host(const std::shared_ptr<const Credentials>& credentials) const;

  /// Opens the ports, if there are to be any. Where one is done without, a warning says so.
  /// @throws CommandError
  [[nodiscard]] std::unique_ptr<WebServer> open(caf::actor_system& system,
                                                WebServices services) const;
};

void add_web_options(CLI::App& app, WebOptions& target);

} // namespace stoker
