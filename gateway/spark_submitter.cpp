#include "gateway/spark_submitter.hpp"

#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

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

/// In what a program on this machine says of its files these are those of this machine.
bool is_here(const SocketAddress& peer) {
  return peer.host.starts_with("127.") || peer.host == "::1";
}

void submit_as(SparkPeerSelf self, const SparkAnswers& answers,
               const spark::VersionTable& table, DriverDescription description,
               const SubmitterVersion& version) {
  spdlog::info("[spark-submitter] {} of user {} has Spark {}, {}",
               description.name, description.user, version.version,
               version.why);
  description.command.spark->version = version.version;
  RequestSubmitDriver request;
  request.driver_description = std::move(description);
  ask_master<SubmitDriverResponse>(self, answers, table, request);
}

} // namespace

void submit(SparkPeerSelf self, const SparkAnswers& answers,
            const std::vector<const spark::VersionTable*>& tables,
            const spark::RequestSubmitDriver& x) {
  const auto& table = *tables.front();
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
  const auto& services = *self->state.services;
  if (auto stated = stated_version(tables, x,
                                   is_here(self->state.connection->peer())
                                       ? services.version_of_home
                                       : VersionOfHome{}))
    return submit_as(self, answers, table, *std::move(description), *stated);
  RequestMasterState question;
  question.applications = question.drivers = false;
  self->request(services.master, caf::infinite, question)
      .then(
          [=, description = *std::move(description)](
              const MasterStateResponse& state) mutable {
            std::vector<std::string> versions;
            for (const auto& worker : state.workers)
              versions.insert(versions.end(), worker.spark_versions.begin(),
                              worker.spark_versions.end());
            submit_as(self, answers, *tables.front(), std::move(description),
                      assumed_version(tables, versions));
          },
          [self, answers](const caf::error& e) {
            answers.fail(self->system().render(e));
          });
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
