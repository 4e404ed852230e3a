#include "tools/stoker/web_options.hpp"

#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

/// What is not encrypted is for this machine alone.
constexpr const char* web_host = "127.0.0.1";

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

std::unique_ptr<WebServer> WebOptions::open(caf::actor_system& system,
                                            WebServices services) const {
  if (web_port == 0 && rest_port == 0)
    return nullptr;
  auto result = std::make_unique<WebServer>(system, std::move(services));
  if (web_port != 0) {
    auto opened
        = result->open_pages(web_host, web_port.value_or(default_web_port));
    if (check_opened(opened, !web_port,
                     "this master shows no pages (--web-port chooses another "
                     "port, or 0 for none)"))
      spdlog::info("[web-listening] pages of this cluster are at "
                   "http://{}:{}/",
                   web_host, *opened);
  }
  if (rest_port != 0) {
    auto opened = result->open_submissions(
        web_host, rest_port.value_or(default_rest_port));
    if (check_opened(opened, !rest_port,
                     "this master takes no submissions over HTTP (--rest-port "
                     "chooses another port, or 0 for none)"))
      spdlog::info("[rest-listening] drivers of Spark's can be submitted to "
                   "http://{}:{}/v1/submissions",
                   web_host, *opened);
  }
  return result;
}

void add_web_options(CLI::App& app, WebOptions& target) {
  app.add_option("--web-port", target.web_port,
                 "Where pages show the cluster on this machine, as at "
                 "http://127.0.0.1:8080/; 0: nowhere. The default is done "
                 "without where another process has it")
      ->envname("STOKER_WEB_PORT")
      ->default_str(std::to_string(WebOptions::default_web_port));
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
