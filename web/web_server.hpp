#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <caf/actor_system.hpp>

#include "actors/feed.hpp"
#include "actors/interfaces.hpp"
#include "gateway/spark_users.hpp"
#include "messages/result.hpp"
#include "network/credentials.hpp"
#include "web/cluster_pages.hpp"
#include "web/http_server.hpp"
#include "web/submissions.hpp"

namespace stoker {

/// What all that is served over HTTP needs of its master.
struct WebServices {
  MasterActor master;

  /// What the master commits. Null: there are no pages.
  FeedActor feed;

  /// As "stoker://127.0.0.1:7070".
  std::string master_url;

  /// As "spark://127.0.0.1:7077"; empty: Spark's programs cannot connect.
  std::string spark_url;
  SparkUsers users = SparkUsers::own;

  /// What the master counts. Null: nothing.
  std::shared_ptr<MasterMetrics> metrics;

  /// What pages prove themselves with where others can reach them, over TLS. Null: they are
  /// for this machine alone.
  std::shared_ptr<const Credentials> credentials = nullptr;

  /// Whoever reaches the pages may read the metrics.
  bool has_public_metrics = false;

  /// Whether pages of programs are served below /proxy/, the address of a proxy in front of
  /// that, or nothing, and whether programs of Spark's may be on other machines.
  bool is_reverse_proxy = false;
  std::string reverse_proxy_url = {};
  bool has_programs_elsewhere = false;
};

/// Serves over HTTP what tools that were made for Spark's master ask it: its state, and
/// submissions; and what monitoring asks.
class WebServer {
public:
  WebServer(caf::actor_system& system, WebServices services);

  /// Closes all connections.
  // NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
  ~WebServer();

  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Whether `open_pages` would listen there, with what a process proves itself with.
  [[nodiscard]] static Status
  check_pages_host(const std::string& host,
                   const std::shared_ptr<const Credentials>& credentials);

  /// Shows the state of the cluster at /json, its metrics at /metrics, and whether it is
  /// well at /healthz and /readyz. On this machine nothing is encrypted; at any other host
  /// all is. Port 0 chooses one. Returns the port. Fails as `HttpServer::listen`.
  /// @pre there is a feed
  Result<std::uint16_t> open_pages(const std::string& host, std::uint16_t port);

  /// Takes submissions at /v1/submissions, on this machine alone.
  Result<std::uint16_t> open_submissions(const std::string& host,
                                         std::uint16_t port);

  /// Spark's programs can connect from now on, there.
  void set_spark_url(const std::string& url);

private:
  caf::actor_system& system_;
  WebServices services_;
  ClusterPagesActor pages_;
  SubmissionsActor submissions_;

  /// Ends the sessions of certificates that are revoked.
  Credentials::Watch watch_;
  HttpServer server_;
};

} // namespace stoker
