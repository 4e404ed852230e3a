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

/// Spark's protocol encrypts nothing, so it is for this machine alone.
constexpr const char* rest_host = "127.0.0.1";

/// Where pages are for others, as MasterOptions::url.
std::string url_of_pages(const std::string& host, std::uint16_t port) {
  auto everywhere = host == "0.0.0.0" || host == "::";
  return to_string(WebAddress{!is_loopback(host),
                              {everywhere ? machine_name() : host, port}});
}

/// Whether the port is open. @throws CommandError
bool check_opened(const Result<std::uint16_t>& opened, bool is_default,
                  const char* without) {
  if (opened)
    return true;
  if (opened.code() == Errc::in_use && is_default) {
    spdlog::warn("[web-port-taken] {}; {}", opened.error().message, without);
    return false;
  }
  require_ok(exit_failure, opened);
  return false;
}

} // namespace

void WebOptions::check_host(
    const std::shared_ptr<const Credentials>& credentials) const {
  if (has_pages())
    require_ok(exit_failure,
               WebServer::check_pages_host(web_host, credentials));
}

std::unique_ptr<WebServer> WebOptions::open(caf::actor_system& system,
                                            WebServices services) const {
  if (web_port == 0 && rest_port == 0)
    return nullptr;
  services.has_public_metrics = has_public_metrics;
  auto result = std::make_unique<WebServer>(system, std::move(services));
  if (web_port != 0) {
    auto opened
        = result->open_pages(web_host, web_port.value_or(default_web_port));
    if (check_opened(opened, !web_port,
                     "this master shows no pages (--web-port chooses another "
                     "port, or 0 for none)"))
      spdlog::info("[web-listening] pages of this cluster are at {}/",
                   url_of_pages(web_host, *opened));
  }
  if (rest_port != 0) {
    auto opened = result->open_submissions(
        rest_host, rest_port.value_or(default_rest_port));
    if (check_opened(opened, !rest_port,
                     "this master takes no submissions over HTTP (--rest-port "
                     "chooses another port, or 0 for none)"))
      spdlog::info("[rest-listening] drivers of Spark's can be submitted to "
                   "http://{}:{}/v1/submissions",
                   rest_host, *opened);
  }
  return result;
}

void add_web_options(CLI::App& app, WebOptions& target) {
  app.add_option("--web-host", target.web_host,
                 "The address of the pages; any but loopback needs "
                 "certificates")
      ->envname("STOKER_WEB_HOST")
      ->capture_default_str();
  app.add_option("--web-port", target.web_port,
                 "Where pages show the cluster, as at "
                 "http://127.0.0.1:8080/; 0: nowhere. The default is done "
                 "without where another process has it")
      ->envname("STOKER_WEB_PORT")
      ->default_str(std::to_string(WebOptions::default_web_port));
  app.add_flag("--metrics-public", target.has_public_metrics,
               "Let whoever reaches the pages read /metrics, as a Prometheus "
               "that runs as another user, and nothing else")
      ->envname("STOKER_METRICS_PUBLIC");
  app.add_option(
         "--rest-port", target.rest_port,
         "Where drivers of Spark's are submitted over HTTP on this "
         "machine, as at http://127.0.0.1:6066/v1/submissions/create; 0: "
         "nowhere. The default is done without where another process has "
         "it")
      ->envname("STOKER_REST_PORT")
      ->default_str(std::to_string(WebOptions::default_rest_port));
}

} // namespace stoker
