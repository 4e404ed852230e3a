#include "web/submissions.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "messages/printable.hpp"
#include "network/new_endpoint.hpp"
#include "scheduling/leadership/outbox.hpp"
#include "web/submission_answers.hpp"
#include "web/why_unanswered.hpp"

namespace stoker {

namespace {

using SubmissionsSelf = SubmissionsActor::stateful_pointer<SubmissionsState>;

/// In its own process a master answers at once, unless its store is slow.
constexpr std::chrono::seconds master_patience{15};

constexpr std::string_view version_path = "/v1";
constexpr std::string_view submissions_path = "/v1/submissions";

SubmissionAnswers answers_of(SubmissionsSelf self) {
  return SubmissionAnswers{self->state.config.place.default_version};
}

/// What stands between slashes.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> result;
  while (!path.empty()) {
    auto slash = std::min(path.find('/'), path.size());
    if (slash > 0)
      result.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return result;
}

/// One request.
struct SubmissionCall {
  SubmissionsSelf self;
  AnswerSubmission asked;
  SparkUser user;

  void answer(HttpResponse x) const {
    asked.reply->answer(std::move(x));
  }
  [[nodiscard]] SubmissionAnswers answers() const {
    return answers_of(self);
  }
  void refuse(unsigned status, const std::string& why) const {
    answer(answers().error(status, why));
  }

  /// Asks the master. If it does not do it, the client learns why.
  template <class Answer, class Request, class F>
  void ask(const Request& request, F then) const {
    self->request(self->state.config.master, master_patience, request)
        .then(std::move(then), [call = *this](const caf::error& e) {
          auto why = why_unanswered(call.self->system(), e);
          if (e == Errc::not_alive)
            why += "; ask the one that leads, or name all masters, as in "
                   "--master spark://HOST1:PORT,HOST2:PORT";
          call.refuse(503, why);
        });
  }

  /// With the reason that a question is refused with which only a leader answers.
  void refuse_standby() const {
    ask<EndsResponse>(RequestEnds{}, [call = *this](const EndsResponse&) {
      // It leads by now.
      call.refuse(503, not_alive().message);
    });
  }

  /// Whose drivers there are, if somebody must not do everything to all of them.
  template <class F>
  void with_drivers(F then) const {
    RequestMasterState request;
    request.workers = request.applications = false;
    ask<MasterStateResponse>(
        request, [call = *this, then](const MasterStateResponse& x) {
          // It knows none then, and would deny what the leader knows.
          if (x.status == RecoveryState::STANDBY)
            return call.refuse_standby();
          then(x);
        });
  }
};

void create(const SubmissionCall& call) {
  const auto& config = call.self->state.config;
  if (config.place.spark_url.empty())
    return call.refuse(503,
                       "drivers of Spark's would not find this master: it was "
                       "started without --spark-port");
  auto submitted = read_submission(call.asked.request.body, config.place);
  if (!submitted)
    return call.refuse(400, submitted.error().message);
  RequestSubmitDriver request;
  request.driver_description = std::move(submitted->description);
  request.driver_description.user = call.user.name();
  request.submission = new_endpoint("spark-rest").value;
  spdlog::info("[spark-submission] {} of user {} at {} has Spark {}",
               printable(request.driver_description.name),
               request.driver_description.user,
               to_string(call.asked.request.peer),
               request.driver_description.command.spark->version);
  call.ask<SubmitDriverResponse>(
      request, [call, unknown = std::move(submitted->unknown_fields)](
                   const SubmitDriverResponse& x) {
        call.answer(call.answers().created(x, unknown));
      });
}

void kill_driver(const SubmissionCall& call, const DriverId& id) {
  call.ask<KillDriverResponse>(
      RequestKillDriver{id}, [call](const KillDriverResponse& x) {
        auto told = x;
        if (told.success && told.message.empty())
          told.message = "driver " + told.driver_id.value + " is asked to end";
        call.answer(call.answers().killed(told));
      });
}

/// The drivers that somebody may end.
std::vector<DriverId> drivers_of(const SparkUser& user,
                                 const std::vector<DriverInfo>& drivers) {
  std::vector<DriverId> result;
  for (const auto& x : drivers)
    if (user.may_all() || user.may_be(x.user))
      result.push_back(x.id);
  return result;
}

void kill_one(const SubmissionCall& call, const std::string& text) {
  DriverId id{text};
  if (call.user.may_all())
    return kill_driver(call, id);
  call.with_drivers([call, id](const MasterStateResponse& x) {
    // One that was started again elsewhere is known by its first id.
    for (const auto* drivers : {&x.active_drivers, &x.completed_drivers}) {
      auto mine = drivers_of(call.user, *drivers);
      if (std::ranges::find(mine, id) != mine.end())
        return kill_driver(call, id);
    }
    call.answer(call.answers().killed(
        {id, false, id.value + " is no driver of user " + call.user.name()}));
  });
}

void kill_all(const SubmissionCall& call) {
  call.with_drivers([call](const MasterStateResponse& x) {
    auto drivers = drivers_of(call.user, x.active_drivers);
    auto answer = [call] {
      call.answer(call.answers().killed_all(
          call.user.may_all() ? "all drivers are asked to end"
                              : "all drivers of user " + call.user.name()
                                    + " are asked to end"));
    };
    if (drivers.empty())
      return answer();
    auto left = std::make_shared<std::size_t>(drivers.size());
    for (const auto& id : drivers)
      call.ask<KillDriverResponse>(RequestKillDriver{id},
                                   [left, answer](const KillDriverResponse&) {
                                     if (--*left == 0)
                                       answer();
                                   });
  });
}

void tell_status(const SubmissionCall& call, const std::string& id) {
  call.ask<DriverStatusResponse>(RequestDriverStatus{DriverId{id}},
                                 [call, id](const DriverStatusResponse& x) {
                                   call.answer(call.answers().status(id, x));
                                 });
}

void tell_ready(const SubmissionCall& call) {
  RequestMasterState request;
  request.workers = request.applications = request.drivers = false;
  call.ask<MasterStateResponse>(request, [call](const MasterStateResponse& x) {
    auto leads = x.status == RecoveryState::ALIVE;
    call.answer(call.answers().ready(
        leads, leads ? "" : "the master is " + to_string(x.status)));
  });
}

/// What is done at a path, and by which method.
struct Action {
  std::string_view name;
  std::string_view method;
  void (*run)(const SubmissionCall& call);

  /// In place of `run`, if it is about one submission.
  void (*run_with_id)(const SubmissionCall& call, const std::string& id);
};

constexpr Action actions[] = {
    {"create", "POST", create, nullptr},
    {"kill", "POST", nullptr, kill_one},
    {"killall", "POST", kill_all, nullptr},
    {"clear", "POST",
     [](const SubmissionCall& call) {
       call.answer(call.answers().cleared(
           false, "what has ended is kept for as long as "
                  "spark.deploy.retainedDrivers and "
                  "spark.deploy.retainedApplications say"));
     },
     nullptr},
    {"status", "GET", nullptr, tell_status},
    {"readyz", "GET", tell_ready, nullptr},
};

/// To what leads nowhere, as Spark's master tells it.
void answer_elsewhere(const SubmissionCall& call,
                      const std::vector<std::string>& parts) {
  const auto& path = call.asked.request.path;
  if (parts.empty())
    return call.refuse(400,
                       "the version of the protocol is missing: submissions "
                       "are at /v1/submissions/...");
  if (path.starts_with(submissions_path) || path == version_path)
    return call.refuse(400, "/v1/submissions/ takes create, kill/ID, killall, "
                            "clear, status/ID and readyz");
  call.answer(call.answers().unknown_version(parts.front()));
}

void perform(const SubmissionCall& call) {
  const auto& request = call.asked.request;
  auto parts = parts_of(request.path);
  const auto* action = std::end(actions);
  if (parts.size() >= 3 && parts[0] == "v1" && parts[1] == "submissions")
    action
        = std::ranges::find(actions, std::string_view{parts[2]}, &Action::name);
  if (action == std::end(actions))
    return answer_elsewhere(call, parts);
  auto method = request.method == "HEAD" ? "GET" : request.method;
  if (method != action->method) {
    std::string allowed{action->method};
    allowed += allowed == "GET" ? ", HEAD" : "";
    auto response
        = call.answers().error(405, request.path + " takes " + allowed);
    response.fields.emplace_back("Allow", allowed);
    return call.answer(std::move(response));
  }
  if (action->run != nullptr)
    return action->run(call);
  if (parts.size() < 4)
    return call.refuse(400, "the id of the submission is missing");
  action->run_with_id(call, parts[3]);
}

void hear(SubmissionsSelf self, const AnswerSubmission& x) {
  auto& state = self->state;
  auto user = user_of_peer(state.config.users, x.request.here, x.request.peer,
                           "submits");
  if (!user) {
    log_refused_user(state.refusals, x.request.peer, user.error());
    return x.reply->answer(answers_of(self).error(403, user.error().message));
  }
  auto reply = x.request.method == "POST"
                   ? when_shown(state.config.pages, x.reply)
                   : x.reply;
  perform({self, {x.request, std::move(reply)}, *std::move(user)});
}

} // namespace

SubmissionsActor::behavior_type submissions(SubmissionsSelf self,
                                            SubmissionsConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  return {
      [self](const AnswerSubmission& x) { hear(self, x); },
      [self](const PagesAreOpen& x) { self->state.config.pages = x.pages; },
      [self](const SparkUrl& x) { self->state.config.place.spark_url = x.url; },
  };
}

} // namespace stoker
