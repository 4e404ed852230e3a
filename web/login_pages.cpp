#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"
#include "web/cluster_pages_tasks.hpp"
#include "web/cookie.hpp"
#include "web/html_answers.hpp"
#include "web/url.hpp"
#include "web/web_access.hpp"

namespace stoker {

namespace {

constexpr const char* login_path = "/login";
constexpr const char* logout_path = "/logout";
constexpr const char* links_path = "/login-links";

/// Begins a session for whom a link was made.
HttpResponse log_in(PagesSelf self, const HttpRequest& x) {
  auto& state = self->state;
  // Who only looks whether there is something does not use the link up.
  if (x.method != "GET")
    return http_other_method("GET");
  auto secret = make_web_secret();
  if (!secret)
    return http_problem(503, secret.error().message);
  auto token = query_value('?' + x.query, "token").value_or("");
  auto key
      = state.sessions.open(token, place_of(x), *secret, state.clock->now());
  auto frame = frame_of(state, x);
  if (!key)
    return sentence_answer(
        401, "This link is not good any more",
        "It was used already, or is older than five minutes, or the master "
        "has started again since. 'stoker web' makes another.",
        frame);
  if (auto user = state.sessions.find(*key, place_of(x), state.clock->now()))
    spdlog::info("[web-signed-in] {} signs in from {}", printable(user->name),
                 x.peer.host);
  self->delayed_send(self, state.sessions.limits().session_age_max,
                     EndOldSessions{});
  auto result = see_other("/");
  result.fields.emplace_back(
      "Set-Cookie",
      cookie_of_session(x, *key, state.sessions.limits().session_age_max));
  return result;
}

/// As whom somebody who has signed out goes on, or how he may come back.
std::string way_back_in(PagesSelf self, HttpRequest x) {
  const auto& state = self->state;
  x.cookie.clear();
  auto found
      = who_asks(x, state.config.users, state.sessions, state.clock->now());
  const auto* user = std::get_if<WebUser>(&found);
  if (user == nullptr)
    return "'stoker web' makes a link to come back.";
  auto result = "You go on as " + printable(user->name) + ", without a link: ";
  switch (user->by) {
  case KnownBy::nothing:
  case KnownBy::session:
    return result + "this master lets in everybody.";
  case KnownBy::kernel:
    return result + "the system knows you.";
  case KnownBy::certificate:
    return result + "your certificate names you.";
  }
  return result;
}

HttpResponse log_out(PagesSelf self, const HttpRequest& x) {
  if (x.method != "POST")
    return http_other_method("POST");
  if (auto key = cookie_value(x.cookie, session_cookie(x)))
    self->state.sessions.close(*key);
  auto result = sentence_answer(200, "Signed out", way_back_in(self, x),
                                frame_of(self->state, x));
  result.fields.emplace_back("Set-Cookie",
                             cookie_of_session(x, "", Duration{}));
  return result;
}

/// Makes a link for who asks, and for nobody else.
HttpResponse make_link(PagesSelf self, const HttpRequest& x) {
  auto& state = self->state;
  if (x.method != "POST")
    return http_other_method("POST");
  auto found
      = who_asks(x, state.config.users, state.sessions, state.clock->now());
  if (auto* refusal = std::get_if<WebRefusal>(&found))
    return std::move(refusal->answer);
  const auto& user = std::get<WebUser>(found);
  if (user.by == KnownBy::session)
    return http_problem(403, "a session makes no links: ask as who the kernel "
                             "or a certificate knows");
  auto secret = make_web_secret();
  if (!secret)
    return http_problem(503, secret.error().message);
  auto token = state.sessions.add_link(*secret, user, state.clock->now());
  return http_json(utf8_json(boost::json::object{
                       {"url", origin_of(x) + login_path + "?token=" + token}}),
                   201);
}

} // namespace

bool answer_login(PagesSelf self, const AnswerPage& x) {
  const auto& path = x.request.path;
  auto answer = path == login_path    ? log_in
                : path == logout_path ? log_out
                : path == links_path  ? make_link
                                      : nullptr;
  if (answer == nullptr)
    return false;
  x.reply->answer(answer(self, x.request));
  return true;
}

} // namespace stoker
