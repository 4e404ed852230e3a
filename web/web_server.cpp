#include "web/web_server.hpp"

#include <cassert>
#include <functional>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>
#include <caf/spawn_options.hpp>

#include "network/address.hpp"
#include "network/descriptor_shares.hpp"
#include "network/free_port.hpp"
#include "spark/version_tables.hpp"
#include "web/assets.hpp"
#include "web/openapi.hpp"
#include "web/router.hpp"

namespace stoker {

namespace {

/// That of a plan, or of a submission.
constexpr std::size_t page_body_max = 256 * 1024;
constexpr std::size_t submission_body_max = 1024 * 1024;

/// Each one who follows a page has a connection.
HttpServerLimits limits() {
  HttpServerLimits result;
  result.connections_max = descriptors_for_pages();
  result.connections_each_max = result.connections_max / 2;
  return result;
}

/// Counts each connection that there is no place for.
std::function<void()> counting(const std::shared_ptr<MasterMetrics>& metrics) {
  if (!metrics)
    return {};
  return [metrics] { metrics->refusal("connection"); };
}

/// What pages prove themselves with there, of what the process has. Null: nothing.
std::shared_ptr<const Credentials>
pages_credentials(const std::string& host,
                  const std::shared_ptr<const Credentials>& credentials) {
  // Certificates that name no hosts are one owner's, on one machine.
  if (is_loopback(host) || (credentials && !credentials->names_hosts()))
    return nullptr;
  return credentials;
}

void go_to_json(const HttpRequest&, const HttpReplyPtr& reply) {
  HttpResponse response;
  response.status = 302;
  response.fields.emplace_back("Location", "/json/");
  reply->answer(std::move(response));
}

} // namespace

WebServer::WebServer(caf::actor_system& system, WebServices services)
    : system_(system), services_(std::move(services)),
      server_(limits(), counting(services_.metrics)) {
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws where threads are of no use
WebServer::~WebServer() {
  server_.stop();
  watch_.reset();
  if (pages_)
    caf::anon_send_exit(pages_, caf::exit_reason::user_shutdown);
  if (submissions_)
    caf::anon_send_exit(submissions_, caf::exit_reason::user_shutdown);
}

Status WebServer::check_pages_host(
    const std::string& host,
    const std::shared_ptr<const Credentials>& credentials) {
  return HttpServer::check_host(host,
                                pages_credentials(host, credentials).get());
}

Result<std::uint16_t> WebServer::open_pages(const std::string& host,
                                            std::uint16_t port) {
  assert(services_.feed && !pages_);
  const auto& spark_url = services_.spark_url.empty() ? services_.master_url
                                                      : services_.spark_url;
  // On a thread of its own: who reads does not wait for a turn among busy actors.
  auto pages = system_.spawn<caf::detached>(
      cluster_pages,
      ClusterPagesConfig{
          services_.feed, services_.master, spark_url, services_.master_url,
          services_.users, services_.metrics, services_.has_public_metrics,
          pages_credentials(host, services_.credentials), 20,
          services_.is_reverse_proxy ? std::make_shared<PageProxy>() : nullptr,
          services_.reverse_proxy_url, services_.has_programs_elsewhere});
  auto ask = [pages](const HttpRequest& x, const HttpReplyPtr& reply) {
    caf::anon_send(pages, AnswerPage{x, reply});
  };
  Router router;
  router.add("GET", "/json", go_to_json);
  router.add("GET", "/static/*",
             [](const HttpRequest& x, const HttpReplyPtr& reply) {
               reply->answer(asset(x));
             });
  router.add("GET", "/openapi.json",
             [](const HttpRequest& x, const HttpReplyPtr& reply) {
               reply->answer(openapi_answer(x));
             });
  for (const auto* path : {"/*", "/json/*"})
    router.add("GET", path, ask);
  // They say themselves which methods there are below.
  for (const auto* path :
       {"/api/v1", "/api/v1/*", "/applications/*", "/drivers/*", "/executors/*",
        "/login", "/login-links", "/logout", "/app/kill", "/app/kill/",
        "/driver/kill", "/driver/kill/", "/workers/kill", "/workers/kill/",
        "/proxy", "/proxy/*"})
    router.add("*", path, ask);
  auto result = server_.listen(host, port, page_body_max, std::move(router),
                               pages_credentials(host, services_.credentials));
  if (!result) {
    caf::anon_send_exit(pages, caf::exit_reason::user_shutdown);
    return result;
  }
  pages_ = std::move(pages);
  if (services_.credentials)
    watch_ = services_.credentials->on_reload(
        [weak = caf::actor_cast<caf::weak_actor_ptr>(pages_)] {
          if (auto there = caf::actor_cast<ClusterPagesActor>(weak))
            caf::anon_send(there, EndOldSessions{});
        });
  // The port of the pages may have been taken for longer.
  if (submissions_)
    caf::anon_send(submissions_, PagesAreOpen{pages_});
  return result;
}

Result<std::uint16_t> WebServer::open_submissions(const std::string& host,
                                                  std::uint16_t port) {
  assert(!submissions_);
  // Whoever submits is told the port in requests that come to it.
  if (port == 0)
    port = free_port(host);
  const auto& versions = spark::version_tables();
  SubmissionPlace place{services_.spark_url, port,
                        versions.empty() ? "" : versions.back().version()};
  auto actor = system_.spawn(
      submissions, SubmissionsConfig{services_.master, services_.users,
                                     std::move(place), pages_});
  auto result = server_.listen(
      host, port, submission_body_max,
      [actor](const HttpRequest& x, const HttpReplyPtr& reply) {
        caf::anon_send(actor, AnswerSubmission{x, reply});
      });
  if (result)
    submissions_ = std::move(actor);
  else
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  return result;
}

void WebServer::set_spark_url(const std::string& url) {
  services_.spark_url = url;
  if (pages_)
    caf::anon_send(pages_, SparkUrl{url});
  if (submissions_)
    caf::anon_send(submissions_, SparkUrl{url});
}

} // namespace stoker
