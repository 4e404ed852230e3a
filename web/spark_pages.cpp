// The addresses at which pages of Spark's master end something or show it.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include "messages/administration.hpp"
#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"
#include "pages/links.hpp"
#include "web/cluster_pages_tasks.hpp"
#include "web/html_answers.hpp"
#include "web/rest_call.hpp"
#include "web/url.hpp"
#include "web/why_unanswered.hpp"

namespace stoker {

namespace {

constexpr std::string_view app_path = "/app";
constexpr std::string_view kill_app_path = "/app/kill";
constexpr std::string_view kill_driver_path = "/driver/kill";
constexpr std::string_view kill_workers_path = "/workers/kill";

std::string_view without_slash(std::string_view path) {
  if (path.size() > 1 && path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

/// Of the query, or of a form.
std::optional<std::string> parameter(const HttpRequest& x,
                                     std::string_view name) {
  if (auto found = query_value('?' + x.query, name))
    return found;
  return query_value('?' + x.body, name);
}

/// Does it as at /api/v1, and leads to the first page as Spark's master does.
void end_one(PagesSelf self, const AnswerPage& x, const RestRequest& order) {
  auto reply = std::make_shared<HttpReply>([to = x.reply](HttpResponse y) {
    to->answer(y.problem.empty() ? see_other("/") : std::move(y));
  });
  self->spawn(rest_call,
              RestCallConfig{self->state.config.master, order, *x.user,
                             when_shown(ClusterPagesActor{self}, reply)});
}

void end_program(PagesSelf self, const AnswerPage& x, bool is_driver) {
  auto id = parameter(x.request, "id");
  if (!id || id->empty())
    return x.reply->answer(http_problem(400, "the parameter id is missing"));
  if (parameter(x.request, "terminate") != "true")
    return x.reply->answer(
        http_problem(400, "the parameter terminate has to be true"));
  end_one(self, x,
          is_driver ? RestRequest{EndDriver{DriverId{*id}}}
                    : RestRequest{EndApplication{AppId{*id}}});
}

/// The parameters "host", which may stand there several times.
std::set<std::string> hosts_of(const HttpRequest& x) {
  std::set<std::string> result;
  for (std::string_view rest :
       {std::string_view{x.query}, std::string_view{x.body}})
    while (!rest.empty()) {
      auto part = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      constexpr std::string_view name{"host="};
      if (part.starts_with(name))
        if (auto host = url_decoded(part.substr(name.size()), true))
          result.insert(*host);
    }
  return result;
}

void decommission_hosts(PagesSelf self, const AnswerPage& x) {
  if (x.user->rights != WebRights::all)
    return x.reply->answer(http_problem(
        403, printable(x.user->name) + " may not take workers out of service"));
  auto hosts = hosts_of(x.request);
  if (hosts.empty())
    return x.reply->answer(http_problem(400, "the parameter host is missing"));
  DecommissionWorkers order;
  for (const auto& [id, worker] : self->state.copy.observation()->workers)
    if (worker.state == WorkerState::ALIVE && hosts.contains(worker.host))
      order.ids.push_back(id);
  if (order.ids.empty())
    return x.reply->answer(
        http_problem(404, "no worker that is alive is on such a host"));
  spdlog::info("[web-order] {} takes {} workers out of service",
               printable(x.user->name), order.ids.size());
  self->request(self->state.config.master, pages_patience, order)
      .then(
          [reply = x.reply](const DecommissionWorkersResponse& y) {
            boost::json::object text;
            text["decommissioned"] = y.ids.size();
            reply->answer(http_json(utf8_json(text)));
          },
          [self, reply = x.reply](const caf::error& e) {
            reply->answer(http_problem(503, why_unanswered(self->system(), e)));
          });
}

/// Leads to the page of an application.
void show_application(const AnswerPage& x) {
  auto id = query_value('?' + x.request.query, "appId");
  if (!id || id->empty())
    return x.reply->answer(http_problem(400, "the parameter appId is missing"));
  x.reply->answer(see_other(pages::href_of(AppId{*id})));
}

} // namespace

bool is_spark_order(const HttpRequest& x) {
  auto path = without_slash(x.path);
  return path == kill_app_path || path == kill_driver_path
         || path == kill_workers_path;
}

bool is_of_spark_page(const HttpRequest& x) {
  return is_spark_order(x) || is_of_proxy(x)
         || without_slash(x.path) == app_path;
}

void answer_spark_page(PagesSelf self, const AnswerPage& x) {
  if (without_slash(x.request.path) == app_path)
    return show_application(x);
  if (is_of_proxy(x.request))
    return answer_proxy(self, x);
  if (!leads(self->state))
    return x.reply->answer(http_problem(503, standby_reason(self->state)));
  if (without_slash(x.request.path) == kill_workers_path)
    return decommission_hosts(self, x);
  end_program(self, x, without_slash(x.request.path) == kill_driver_path);
}

} // namespace stoker
