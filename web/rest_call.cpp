#include "web/rest_call.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include "actors/defaults.hpp"
#include "actors/end_with.hpp"
#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "messages/json.hpp"
#include "messages/printable.hpp"
#include "messages/utf8_json.hpp"
#include "network/new_endpoint.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "web/rest_answers.hpp"
#include "web/why_unanswered.hpp"

namespace stoker {

namespace {

/// In its own process a master answers at once, unless its store is slow.
constexpr std::chrono::seconds rest_patience{15};
static_assert(rest_patience >= defaults::plan_answer_timeout);

template <class T>
HttpResponse json_response(const T& x, unsigned status = 200) {
  return http_json(utf8_json(to_json(x)), status);
}

/// It was asked for, and cannot be done.
HttpResponse refused(const std::string& why) {
  return http_problem(409, printable(why));
}

HttpResponse killed(const std::string& id) {
  return http_json(utf8_json(boost::json::object{{"killed", id}}));
}

/// Whether asking another time, or another master, may help: 503.
unsigned status_of(const caf::error& e) {
  if (e == Errc::invalid_request)
    return 400;
  return e == Errc::not_found ? 404 : 503;
}

struct MasterCall {
  caf::event_based_actor* self;
  RestCallConfig config;

  void answer(HttpResponse x) const {
    config.reply->answer(std::move(x));
  }

  template <class Answer, class Question, class F>
  void ask(const Question& question, F to_response) const {
    self->request(config.master, rest_patience, question)
        .then([call = *this,
               to_response](const Answer& x) { call.answer(to_response(x)); },
              [call = *this](const caf::error& e) {
                auto status = status_of(e);
                auto& system = call.self->system();
                call.answer(http_problem(
                    status, status == 503 ? why_unanswered(system, e)
                                          : printable(system.render(e))));
              });
  }

  // -- questions ----------------------------------------------------------------

  void operator()(const RequestExplanation& x) const {
    auto id = x.driver_id ? x.driver_id->value : x.app_id.value;
    ask<ExplanationResponse>(x, [id](const ExplanationResponse& y) {
      return y.found ? json_response(y) : not_known(id);
    });
  }
  void operator()(const RequestQueues& x) const {
    ask<QueuesResponse>(
        x, [](const QueuesResponse& y) { return json_response(y); });
  }
  void operator()(const RequestJobs& x) const {
    ask<JobsResponse>(x,
                      [](const JobsResponse& y) { return json_response(y); });
  }
  void operator()(const RequestHistory& x) const {
    ask<HistoryResponse>(
        x, [](const HistoryResponse& y) { return json_response(y); });
  }
  void operator()(const RequestUse& x) const {
    ask<UseResponse>(x, [](const UseResponse& y) { return json_response(y); });
  }
  void operator()(const RequestPlan& x) const {
    ask<PlanResponse>(x, [](const PlanResponse& y) {
      return y.problem.empty() ? json_response(y) : refused(y.problem);
    });
  }

  // -- orders -------------------------------------------------------------------

  void operator()(const DriverSubmission& x) const {
    if (auto may = may_start(config.user); !may)
      return answer(http_problem(403, may.error().message));
    RequestSubmitDriver request;
    request.driver_description = description_of(x, config.user.name);
    request.submission
        = x.submission.empty() ? new_endpoint("rest").value : x.submission;
    ask<SubmitDriverResponse>(request, [](const SubmitDriverResponse& y) {
      if (!y.success || !y.driver_id)
        return refused(y.message);
      auto result = json_response(y, 201);
      result.fields.emplace_back("Location",
                                 "/api/v1/drivers/" + y.driver_id->value);
      return result;
    });
  }

  /// Only what is the user's own, unless he may end everything.
  void operator()(const EndDriver& x) const {
    RequestMasterState question;
    question.workers = question.applications = false;
    ask_then<MasterStateResponse>(
        question, [x](const MasterCall& call, const MasterStateResponse& y) {
          for (const auto* drivers : {&y.active_drivers, &y.completed_drivers})
            for (const auto& driver : *drivers)
              if (driver.id == x.id)
                return call.end<KillDriverResponse>(x.id.value, driver.user,
                                                    RequestKillDriver{x.id});
          call.answer(not_known(x.id.value));
        });
  }
  void operator()(const EndApplication& x) const {
    RequestMasterState question;
    question.workers = question.drivers = false;
    question.app_id = x.id;
    question.executors_max = 0;
    ask_then<MasterStateResponse>(
        question, [x](const MasterCall& call, const MasterStateResponse& y) {
          for (const auto* apps : {&y.active_apps, &y.completed_apps})
            for (const auto& app : *apps)
              return call.end<KillApplicationResponse>(
                  x.id.value, app.user, RequestKillApplication{x.id});
          call.answer(not_known(x.id.value));
        });
  }
  void operator()(const EndExecutor& x) const {
    RequestMasterState question;
    question.workers = question.drivers = false;
    question.app_id = x.id.app_id;
    ask_then<MasterStateResponse>(
        question, [x](const MasterCall& call, const MasterStateResponse& y) {
          for (const auto* apps : {&y.active_apps, &y.completed_apps})
            for (const auto& app : *apps)
              for (const auto& known : app.executors)
                if (ExecutorId{known.app_id, known.exec_id} == x.id)
                  return call.end(x.id, app.user, is_finished(known.state));
          call.answer(not_known(to_string(x.id)));
        });
  }

  /// Others are answered by who has a copy of the cluster.
  template <class Other>
  void operator()(const Other&) const {
  }

private:
  template <class Answer, class Question, class F>
  void ask_then(const Question& question, F then) const {
    self->request(config.master, rest_patience, question)
        .then(
            [call = *this, then](const Answer& x) {
              // It has no tables then, and would deny what the leader knows.
              if (x.status == RecoveryState::STANDBY)
                return call.answer_standby();
              then(call, x);
            },
            [call = *this](const caf::error& e) {
              call.answer(
                  http_problem(503, why_unanswered(call.self->system(), e)));
            });
  }

  /// With the reason that a question is refused with which only a leader answers.
  void answer_standby() const {
    ask<EndsResponse>(RequestEnds{}, [](const EndsResponse&) {
      // It leads by now.
      return http_problem(503, not_alive().message);
    });
  }

  /// Whether the user may; else he is told so.
  [[nodiscard]] bool allow_end(const std::string& id,
                               const std::string& owner) const {
    if (auto may = may_end(config.user, owner); !may) {
      answer(http_problem(403, may.error().message));
      return false;
    }
    spdlog::info("[web-order] {} ends {} of user {}",
                 printable(config.user.name), printable(id), printable(owner));
    return true;
  }

  template <class Answer, class Question>
  void end(const std::string& id, const std::string& owner,
           const Question& question) const {
    if (allow_end(id, owner))
      ask<Answer>(question, [id](const Answer& x) {
        return x.success ? killed(id) : refused(x.message);
      });
  }

  /// The master says nothing of one that has ended.
  void end(const ExecutorId& id, const std::string& owner,
           bool has_ended) const {
    auto not_running = to_string(id) + " is not running";
    if (!allow_end(to_string(id), owner))
      return;
    if (has_ended)
      return answer(refused(not_running));
    ask<bool>(KillExecutors{id.app_id, {id.exec_id}},
              [id, not_running](bool is_done) {
                return is_done ? killed(to_string(id)) : refused(not_running);
              });
  }
};

} // namespace

void rest_call(caf::event_based_actor* self, const RestCallConfig& config) {
  handle_the_unexpected(self);
  end_with(self, config.master);
  std::visit(MasterCall{self, config}, config.request);
}

} // namespace stoker
