#include "tools/stoker/web_options.hpp"

#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "embedding/machine.hpp"
#include "network/address.hpp"
#include "tools/stoker/options.hpp"
#include "web/http_client.hpp"

namespace stoker {

namespace {

/// Where pages are for others, as MasterOptions::url.
std::string url_of_pages(const std::string& host, std::uint16_t port) {
  return to_string(WebAddress{!is_loopback(host), {public_host(host), port}});
}

} // namespace

SparkUsers WebOptions::allowed() const {
  if (users == "own")
    return SparkUsers::own;
  if (users == "local")
    return SparkUsers::local;
  throw CommandError{exit_usage,
                     "--web-users is 'own' or 'local', not '" + users + "'"};
}

void WebOptions::check_host(
    const std::shared_ptr<const Credentials>& credentials) const {
  if (has_pages())
    require_ok(exit_usage, WebServer::check_pages_host(web_host, credentials));
}

Result<std::string> WebOptions::open_pages(WebServer& server) const {
  auto opened = server.open_pages(web_host, pages_port());
  if (!opened)
    return std::move(opened).error();
  auto url = url_of_pages(web_host, *opened);
  spdlog::info("[web-listening] pages of this cluster are at {}/", url);
  return url;
}

Result<std::string> WebOptions::open_submissions(WebServer& server) const {
  auto opened = server.open_submissions(rest_host, submissions_port());
  if (!opened)
    return std::move(opened).error();
  auto url = to_string(WebAddress{false, {rest_host, *opened}});
  spdlog::info("[rest-listening] drivers of Spark's can be submitted to "
               "{}/v1/submissions",
               url);
  return url;
}

void add_web_options(CLI::App& app, WebOptions& target) {
  app.add_option("--web-host", target.web_host,
                 "The address of the pages; any but loopback needs "
                 "certificates")
      ->envname("STOKER_WEB_HOST")
      ->capture_default_str();
  app.add_option("--web-port", target.web_port,
                 "Where pages show the cluster, as at "
                 "http://127.0.0.1:8080/; 0: nowhere. Where another process "
                 "has the default, it is opened once that is free")
      ->envname("STOKER_WEB_PORT")
      ->default_str(std::to_string(WebOptions::default_web_port));
  app.add_option("--web-users", target.users,
                 "Whose processes of this machine may ask over HTTP without "
                 "signing in: 'own' (this user's) or 'local' (all users', each "
                 "under their own name)")
      ->envname("STOKER_WEB_USERS")
      ->capture_default_str();
  app.add_flag("--metrics-public", target.has_public_metrics,
               "Let whoever reaches the pages read /metrics, as a Prometheus "
               "that runs as another user, and nothing else")
      ->envname("STOKER_METRICS_PUBLIC");
  app.add_option(
         "--rest-port", target.rest_port,
         "Where drivers of Spark's are submitted over HTTP on this "
         "machine, as at http://127.0.0.1:6066/v1/submissions/create; 0: "
         "nowhere. Where another process has the default, it is opened once "
         "that is free")
      ->envname("STOKER_REST_PORT")
      ->default_str(std::to_string(WebOptions::default_rest_port));
}

} // namespace stoker
