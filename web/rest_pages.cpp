#include "web/cluster_pages_tasks.hpp"

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/mp11.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "web/http_stream.hpp"
#include "web/output_follower.hpp"
#include "web/rest_answers.hpp"
#include "web/rest_call.hpp"
#include "web/rest_request.hpp"

namespace stoker {

namespace {

constexpr std::chrono::milliseconds second_look_after{100};

/// What starts or ends something.
using Orders = boost::mp11::mp_list<DriverSubmission, EndApplication,
                                    EndExecutor, EndDriver>;

template <class Request>
constexpr bool is_order = boost::mp11::mp_contains<Orders, Request>::value;

HttpResponse standby_problem(const ClusterPagesState& state) {
  return http_problem(503, standby_reason(state));
}

/// Tells the pages when its reader has taken what he was sent. It keeps neither them nor itself.
std::shared_ptr<HttpStream> event_stream(PagesSelf self) {
  auto result = std::make_shared<HttpStream>();
  result->on_drained([pages = self->address(), stream = std::weak_ptr{result}] {
    auto there = caf::actor_cast<ClusterPagesActor>(pages);
    auto to = stream.lock();
    if (there && to)
      caf::anon_send(there, ShowMoreEvents{std::move(to)});
  });
  return result;
}

void follow_events(PagesSelf self, const AnswerPage& x,
                   const FollowEvents& wanted) {
  if (stands_by(self->state))
    return x.reply->answer(standby_problem(self->state));
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.stream = event_stream(self);
  self->state.event_readers.add(response.stream, wanted.after, wanted.of);
  self->state.event_readers.keep_alive();
  x.reply->answer(response);
  show_soon(self);
}

HttpResponse answer_of(const ClusterPagesState& state,
                       const RestRequest& request) {
  RestAnswers answers{state.copy, state.config.master_url};
  return std::visit(
      [&](const auto& y) {
        if constexpr (std::is_invocable_v<RestAnswers, decltype(y)>)
          return answers(y);
        else
          return HttpResponse{};
      },
      request);
}

} // namespace

void answer_rest(PagesSelf self, const AnswerPage& x) {
  const auto& state = self->state;
  if (!leads(state))
    return x.reply->answer(standby_problem(state));
  auto request = std::get<RestRequest>(parse_rest_request(x.request));
  // All of it is much, and many ask for it again and again.
  auto response
      = std::holds_alternative<ReadState>(request)
            ? kept_answer(self->state, x.request, target_of(x.request),
                          [&] { return answer_of(state, request); })
            : answer_of(state, request);
  // Who has just started something with a command may ask before the copy has it.
  if (response.status == 404 && !x.is_second_look) {
    self->delayed_send(self, second_look_after,
                       AnswerPage{x.request, x.reply, x.user, true});
    return;
  }
  x.reply->answer(std::move(response));
}

bool needs_copy(PagesSelf self, const AnswerPage& x) {
  auto parsed = parse_rest_request(x.request);
  if (auto* problem = std::get_if<HttpResponse>(&parsed)) {
    x.reply->answer(std::move(*problem));
    return false;
  }
  auto& request = std::get<RestRequest>(parsed);
  const auto& master = self->state.config.master;
  return std::visit(
      [&](const auto& y) {
        using Request = std::decay_t<decltype(y)>;
        if constexpr (std::is_invocable_v<RestAnswers, Request>)
          return true;
        else if constexpr (std::is_same_v<Request, FollowEvents>)
          follow_events(self, x, y);
        else if constexpr (std::is_same_v<Request, OutputRequest>)
          self->spawn(output_follower,
                      OutputFollowerConfig{master, y, x.reply});
        else
          self->spawn(rest_call, RestCallConfig{master, request, *x.user,
                                                is_order<Request>
                                                    ? when_shown(self, x.reply)
                                                    : x.reply});
        return false;
      },
      request);
}

} // namespace stoker
