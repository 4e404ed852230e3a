#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "embedding/page_settings.hpp"
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

  /// Whose processes on this machine are known by the kernel's word: 'own' or 'local'. What
  /// --spark-users says does not count here.
  std::string users = "own";

  /// Whoever reaches the pages may read the metrics, without saying who he is.
  bool has_public_metrics = false;

  /// What settings say of pages.
  PageSettings settings;

  /// Where submissions are: Spark's protocol encrypts nothing, so it is for this machine
  /// alone.
  static constexpr const char* rest_host = "127.0.0.1";

  /// Whether pages are served, which need a feed of what the master commits.
  [[nodiscard]] bool has_pages() const {
    return web_port != 0;
  }
  [[nodiscard]] bool has_submissions() const {
    return rest_port != 0;
  }

  [[nodiscard]] std::uint16_t pages_port() const {
    return web_port.value_or(default_web_port);
  }
  [[nodiscard]] std::uint16_t submissions_port() const {
    return rest_port.value_or(default_rest_port);
  }

  /// Whose processes may ask over HTTP.
  /// @throws CommandError
  [[nodiscard]] SparkUsers allowed() const;

  /// Fails where pages would be at an address that others can reach, and nothing
  /// proves who reads them. @throws CommandError
  void check_host(const std::shared_ptr<const Credentials>& credentials) const;

  // Each opens a port, and logs where it is. Fail as `HttpServer::listen`.
  /// Each returns where that is, such as "http://127.0.0.1:8080".
  [[nodiscard]] Result<std::string> open_pages(WebServer& server) const;
  [[nodiscard]] Result<std::string> open_submissions(WebServer& server) const;
};

void add_web_options(CLI::App& app, WebOptions& target);

} // namespace stoker
