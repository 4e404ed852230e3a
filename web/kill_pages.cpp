#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "messages/printable.hpp"
#include "pages/cells.hpp"
#include "pages/confirm.hpp"
#include "pages/table.hpp"
#include "scheduling/common/units.hpp"
#include "scheduling/master/snapshot.hpp"
#include "web/cluster_pages_tasks.hpp"
#include "web/cluster_view.hpp"
#include "web/html_answers.hpp"
#include "web/rest_call.hpp"
#include "web/url.hpp"
#include "web/web_access.hpp"

namespace stoker {

namespace {

/// What a page may end.
using KillTarget = std::variant<AppId, ExecutorId, DriverId>;

/// What is asked before it ends.
struct Endable {
  std::string name;
  std::string owner;
  bool has_ended = false;

  /// It goes on, though its end was ordered.
  bool is_being_ended = false;
};

std::string id_of(const KillTarget& x) {
  return std::visit([](const auto& id) { return to_string(id); }, x);
}

std::string href_of_target(const KillTarget& x) {
  return std::visit([](const auto& id) { return pages::href_of(id); }, x);
}

std::string kill_href(const KillTarget& x) {
  return href_of_target(x) + "/kill";
}

std::string kind_of_target(const KillTarget& x) {
  if (std::holds_alternative<AppId>(x))
    return "Application";
  return std::holds_alternative<ExecutorId>(x) ? "Executor" : "Driver";
}

const char* what_will_happen(const KillTarget& x) {
  if (std::holds_alternative<AppId>(x))
    return "All of its executors will be ended.";
  if (std::holds_alternative<ExecutorId>(x))
    return "Its program will be ended. Its application may ask for another.";
  return "Its program will be ended, and not started again.";
}

/// Leads back from what became of an order.
std::vector<pages::Fact> way_back(const KillTarget& x) {
  return {{kind_of_target(x), pages::link_to(id_of(x), href_of_target(x))}};
}

/// From a path as "/applications/ID/kill" or "/executors/APP/N/kill".
std::optional<KillTarget> kill_target(const std::string& path) {
  auto parts = decoded_parts(path);
  if (!parts || parts->size() < 3 || parts->back() != "kill")
    return std::nullopt;
  if (parts->size() == 4 && parts->front() == "executors") {
    auto number = parse_count((*parts)[2]);
    return number ? std::optional<KillTarget>{ExecutorId{AppId{(*parts)[1]},
                                                         *number}}
                  : std::nullopt;
  }
  if (parts->size() != 3)
    return std::nullopt;
  if (parts->front() == "applications")
    return AppId{(*parts)[1]};
  if (parts->front() == "drivers")
    return DriverId{(*parts)[1]};
  return std::nullopt;
}

std::optional<Endable> endable(const ClusterCopy& cluster,
                               const KillTarget& target) {
  if (const auto* id = std::get_if<AppId>(&target)) {
    auto app = application_of(cluster, *id);
    return app ? std::optional{Endable{app->name, app->user,
                                       is_finished(app->state)}}
               : std::nullopt;
  }
  if (const auto* id = std::get_if<ExecutorId>(&target)) {
    auto app = application_of(cluster, id->app_id);
    auto executor = executor_of(cluster, *id);
    return app && executor ? std::optional{Endable{
               app->name, app->user, is_finished(executor->state)}}
                           : std::nullopt;
  }
  const auto& drivers = cluster.tables().drivers();
  auto driver = drivers.find(std::get<DriverId>(target));
  if (driver == drivers.end())
    return std::nullopt;
  const auto& x = driver->second;
  return Endable{x.description.name, x.description.user, is_finished(x.state),
                 is_being_ended(x)};
}

HttpResponse confirm_page(PagesSelf self, const AnswerPage& x,
                          const KillTarget& target, const Endable& what) {
  const auto& state = self->state;
  auto href = kill_href(target);
  auto id = id_of(target);
  pages::Page page{"Kill " + id + '?', {}, false};
  auto add = [&](const char* name, std::string html) {
    page.sections.push_back({name, std::move(html), false});
  };
  add("facts",
      pages::html(std::vector<pages::Fact>{
          {kind_of_target(target), pages::link_to(id, href_of_target(target))},
          {"Name", pages::text(what.name)},
          {"User", pages::text(what.owner)}}));
  pages::Confirmation form;
  form.action = href;
  form.token = form_token(state.form_key, reader_of(*x.user), href);
  form.question = what_will_happen(target);
  form.button = "Kill";
  form.back = href_of_target(target);
  form.instead = "Go back";
  add("confirm", pages::html(form));
  return html_answer(200, page, frame_of(state, x));
}

/// Does it, as who asks at /api/v1 for it, and leads back to the page of what is ended.
void end_target(PagesSelf self, const AnswerPage& x, const KillTarget& target) {
  auto request = std::visit(
      [](const auto& id) -> RestRequest {
        if constexpr (std::is_same_v<decltype(id), const AppId&>)
          return EndApplication{id};
        else if constexpr (std::is_same_v<decltype(id), const ExecutorId&>)
          return EndExecutor{id};
        else
          return EndDriver{id};
      },
      target);
  auto reply = std::make_shared<HttpReply>(
      [to = x.reply, frame = frame_of(self->state, x),
       back = href_of_target(target),
       links = way_back(target)](const HttpResponse& y) {
        to->answer(y.problem.empty() ? see_other(back)
                                     : page_of_problem(y, frame, links));
      });
  self->spawn(rest_call, RestCallConfig{self->state.config.master, request,
                                        *x.user, when_shown(self, reply)});
}

} // namespace

std::optional<pages::Section> kill_section(const ClusterPagesState& state,
                                           const PageAddress& address,
                                           const WebUser& user) {
  std::optional<KillTarget> target;
  if (const auto* app = std::get_if<ApplicationPage>(&address))
    target = app->id;
  else if (const auto* executor = std::get_if<ExecutorPage>(&address))
    target = executor->id;
  else if (const auto* driver = std::get_if<DriverPage>(&address))
    target = driver->id;
  if (!target)
    return std::nullopt;
  auto what = endable(state.copy, *target);
  if (!what || what->has_ended || what->is_being_ended
      || !may_end(user, what->owner))
    return std::nullopt;
  // Each reader's own: it does not change with what all readers are sent.
  return pages::Section{"kill", pages::order_html("Kill", kill_href(*target)),
                        false};
}

bool is_of_kill(const HttpRequest& x) {
  return kill_target(x.path).has_value();
}

void answer_kill(PagesSelf self, const AnswerPage& x) {
  const auto& state = self->state;
  auto target = *kill_target(x.request.path);
  auto refuse = [&](unsigned status, const std::string& why) {
    x.reply->answer(page_of_problem(
        http_problem(status, why), frame_of(state, x),
        status == 404 ? links_to_history(id_of(target)) : way_back(target)));
  };
  auto refuse_form = [&] {
    auto links = way_back(target);
    links.push_back(
        {"A form that counts", pages::link_to("Kill", kill_href(target))});
    x.reply->answer(page_of_problem(
        http_problem(403, "nothing was ended: the form is not one of yours, or "
                          "not any more, as after a restart of the master"),
        frame_of(state, x), links));
  };
  if (!leads(state))
    return refuse(503, standby_reason(state));
  auto what = endable(state.copy, target);
  if (!what)
    return refuse(404, "the master does not know " + printable(id_of(target))
                           + ", or not any more");
  if (auto may = may_end(*x.user, what->owner); !may)
    return refuse(403, may.error().message);
  if (x.request.method == "POST") {
    auto token = query_value('?' + x.request.body, "token").value_or("");
    auto expected
        = form_token(state.form_key, reader_of(*x.user), kill_href(target));
    return is_equal(token, expected) ? end_target(self, x, target)
                                     : refuse_form();
  }
  if (what->has_ended)
    return refuse(409, printable(id_of(target)) + " has ended already");
  if (what->is_being_ended)
    return refuse(409, being_ended_text);
  x.reply->answer(confirm_page(self, x, target, *what));
}

} // namespace stoker
