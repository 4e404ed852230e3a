// The pages of Spark's programs, below /proxy/ as at Spark's master.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/printable.hpp"
#include "pages/cells.hpp"
#include "pages/links.hpp"
#include "pages/table.hpp"
#include "web/cluster_pages_tasks.hpp"
#include "web/html_answers.hpp"
#include "web/http_client.hpp"
#include "web/page_proxy.hpp"
#include "web/proxy_target.hpp"
#include "web/url.hpp"

namespace stoker {

namespace {

constexpr std::string_view proxy_path = "/proxy";

/// A path such as "/proxy/app-1/jobs/".
struct ProxyPath {
  /// "app-1", decoded.
  std::string id;

  /// "/jobs/"; empty: what is asked for is not a path of the page yet.
  std::string rest;
};

std::optional<ProxyPath> proxy_path_of(std::string_view path) {
  if (path.size() <= proxy_path.size() + 1)
    return std::nullopt;
  path.remove_prefix(proxy_path.size() + 1);
  auto slash = path.find('/');
  auto part = path.substr(0, slash);
  auto id = url_decoded(part, false);
  if (!id || id->empty())
    return std::nullopt;
  return ProxyPath{*std::move(id), slash == std::string_view::npos
                                       ? std::string{}
                                       : std::string{path.substr(slash)}};
}

/// Returns where the page of an application is, or std::nullopt if it has none that can be asked.
std::optional<SocketAddress> page_address(const StoredApplication& x) {
  const auto& driver = x.description.spark_driver;
  if (!driver)
    return std::nullopt;
  auto url = parse_web_address(driver->ui_url);
  if (!url || url->is_encrypted)
    return std::nullopt;
  return SocketAddress{url->place.host, url->place.port};
}

/// Shows problems as pages to readers of pages.
HttpReplyPtr showing_problems(PagesSelf self, const AnswerPage& x,
                              std::vector<pages::Fact> links) {
  if (!takes_html(x.request))
    return x.reply;
  return std::make_shared<HttpReply>(
      [to = x.reply, frame = frame_of(self->state, x),
       links = std::move(links)](HttpResponse y) {
        to->answer(y.problem.empty() ? std::move(y)
                                     : page_of_problem(y, frame, links));
      });
}

void forward(PagesSelf self, const AnswerPage& x, const ProxyPath& path,
             const StoredApplication& app, const HttpReplyPtr& reply) {
  const auto& config = self->state.config;
  ProxiedRequest request;
  request.to = *page_address(app);
  request.owner = app.description.user;
  request.may_be_elsewhere = config.has_programs_elsewhere;
  request.reader = x.user->name;
  request.method = x.request.method == "HEAD" ? "GET" : x.request.method;
  request.path = path.rest;
  request.query = x.request.query;
  request.accept = x.request.accept;
  request.body = x.request.body;
  request.prefix = std::string{proxy_path} + '/' + app.id.value;
  request.front = config.proxy_url;
  config.proxy->forward(std::move(request), reply);
}

} // namespace

bool is_of_proxy(const HttpRequest& x) {
  std::string_view path = x.path;
  return path.starts_with(proxy_path)
         && (path.size() == proxy_path.size()
             || path[proxy_path.size()] == '/');
}

bool takes_form(const HttpRequest& x) {
  return is_of_kill(x) || is_of_proxy(x);
}

void answer_proxy(PagesSelf self, const AnswerPage& x) {
  const auto& state = self->state;
  auto refuse = [&](unsigned status, const std::string& why,
                    std::vector<pages::Fact> links = {}) {
    showing_problems(self, x, std::move(links))
        ->answer(http_problem(status, why));
  };
  if (!state.config.proxy)
    return refuse(404, "pages of programs are not served here: start the "
                       "master with --conf spark.ui.reverseProxy=true");
  if (!leads(state))
    return refuse(503, standby_reason(state));
  auto path = proxy_path_of(x.request.path);
  if (!path)
    return refuse(404, "pages of programs are at /proxy/APP/");
  const auto& all = state.copy.tables().applications();
  auto found = all.find(AppId{path->id});
  if (found == all.end())
    return refuse(404,
                  "the master does not know the application "
                      + printable(path->id) + ", or not any more",
                  links_to_history(path->id));
  const auto& app = found->second;
  std::vector<pages::Fact> links{
      {"Application", pages::link_to(path->id, pages::href_of(app.id))}};
  if (auto may = may_end(*x.user, app.description.user); !may)
    return refuse(403, may.error().message, links);
  if (is_finished(app.state))
    return refuse(404, printable(path->id) + " has ended, and its page with it",
                  links);
  if (!page_address(app))
    return refuse(404,
                  printable(path->id)
                      + " has no page, or one that speaks TLS, which is not "
                        "supported here",
                  links);
  if (path->rest.empty())
    return x.reply->answer(
        see_other(state.config.proxy_url + x.request.path + '/'));
  // Browsers load addresses that pages of others name.
  if (x.request.method != "POST" && !x.request.is_of_own_page
      && is_order_of_page(path->rest))
    return x.reply->answer(http_other_method("POST"));
  forward(self, x, *path, app, showing_problems(self, x, links));
}

} // namespace stoker
