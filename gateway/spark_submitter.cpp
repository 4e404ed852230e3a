#include "gateway/spark_submitter.hpp"

#include <utility>
#include <vector>

#include "gateway/spark_submission.hpp"

namespace stoker {

namespace {

/// Asks the master, and tells the answer in the form of the submitter's version.
template <class Answer, class Request>
void ask_master(SparkPeerSelf self, const SparkAnswers& answers,
                const spark::VersionTable& table, const Request& x) {
  self->request(self->state.services->master, caf::infinite, x)
      .then([answers,
             &table](const Answer& y) { answers.tell(to_content(table, y)); },
            [self, answers](const caf::error& e) {
              answers.fail(self->system().render(e));
            });
}

/// Whether the user may end a driver. One that is not there may be looked for.
Status may_end(const SparkUser& user, const std::vector<DriverInfo>& drivers,
               const DriverId& id) {
  for (const auto& driver : drivers)
    if (driver.id == id && !user.may_be(driver.user))
      return Error{Errc::not_allowed, "user " + user.name()
                                          + " may not end a driver of user "
                                          + driver.user};
  return {};
}

} // namespace

void submit(SparkPeerSelf self, const SparkAnswers& answers,
            const spark::VersionTable& table,
            const spark::RequestSubmitDriver& x) {
  auto refuse_it = [&](const std::string& why) {
    log_refusal(self, why);
    answers.tell(to_content(table, SubmitDriverResponse{false, {}, why}));
  };
  auto user = user_behind(self, "submits");
  if (!user)
    return refuse_it(user.error().message);
  auto named = user_of(x);
  if (named.empty() || !user->may_be(named))
    named = user->name();
  auto description = to_description(x, named, table.version());
  if (!description)
    return refuse_it(description.error().message);
  RequestSubmitDriver request;
  request.driver_description = *std::move(description);
  ask_master<SubmitDriverResponse>(self, answers, table, request);
}

void kill_driver(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id) {
  RequestKillDriver request{DriverId{id}};
  auto user = user_behind(self, "ends a driver");
  if (!user)
    return answers.tell(
        to_content(table, KillDriverResponse{request.driver_id, false,
                                             user.error().message}));
  if (user->may_all())
    return ask_master<KillDriverResponse>(self, answers, table, request);
  RequestMasterState question;
  question.workers = question.applications = false;
  self->request(self->state.services->master, caf::infinite, question)
      .then(
          [=, &table, user = *user](const MasterStateResponse& x) {
            auto allowed = may_end(user, x.active_drivers, request.driver_id);
            if (allowed)
              return ask_master<KillDriverResponse>(self, answers, table,
                                                    request);
            answers.tell(
                to_content(table, KillDriverResponse{request.driver_id, false,
                                                     allowed.error().message}));
          },
          [self, answers](const caf::error& e) {
            answers.fail(self->system().render(e));
          });
}

void tell_status(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id) {
  ask_master<DriverStatusResponse>(self, answers, table,
                                   RequestDriverStatus{DriverId{id}});
}

} // namespace stoker
