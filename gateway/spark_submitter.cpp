#include "gateway/spark_submitter.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "gateway/agreed_versions.hpp"
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

/// Whether the user may know of a driver, and end it.
Status may_know(const SparkUser& user, const MasterStateResponse& state,
                const DriverId& id) {
  for (const auto* drivers : {&state.active_drivers, &state.completed_drivers})
    for (const auto& driver : *drivers)
      if (driver.id == id && !user.may_be(driver.user))
        return Error{Errc::not_allowed,
                     "user " + user.name()
                         + " may neither ask for nor end a driver of user "
                         + driver.user};
  return {};
}

/// How long a disk may take to show a few names.
constexpr std::chrono::seconds home_patience{5};

/// In what a program on this machine says of its files these are those of this machine.
bool is_here(const SocketAddress& peer) {
  return peer.host.starts_with("127.") || peer.host == "::1";
}

/// A driver that is to be submitted.
struct Submission {
  SparkAnswers answers;

  /// Its submitter's form.
  const spark::VersionTable& table;

  /// What its submitter's messages agree with, the newest first.
  std::vector<std::string> agreed;

  DriverNames names;
  DriverDescription description;
};

void submit_as(SparkPeerSelf self, const Submission& x,
               const SubmitterVersion& version) {
  RequestSubmitDriver request;
  request.driver_description = x.description;
  auto& driver = request.driver_description;
  spdlog::info("[spark-submitter] {} of user {} has Spark {}, {}", driver.name,
               driver.user, version.version, version.why);
  driver.command.spark->version = version.version;
  ask_master<SubmitDriverResponse>(self, x.answers, x.table, request);
}

/// As one whose version nobody has said, unless a rule of the administrator's does.
void submit_as_assumed(SparkPeerSelf self, const Submission& x) {
  auto by_rule
      = assume_version(self->state.services->version_rules, x.names, x.agreed);
  log_ignored_rules(by_rule, x.description.name, x.agreed);
  if (by_rule.is_by_rule)
    return submit_as(self, x, {by_rule.version, by_rule.why});
  RequestMasterState question;
  question.applications = question.drivers = false;
  self->request(self->state.services->master, caf::infinite, question)
      .then(
          [self, x](const MasterStateResponse& state) {
            std::vector<std::string> of_workers;
            for (const auto& worker : state.workers)
              of_workers.insert(of_workers.end(), worker.spark_versions.begin(),
                                worker.spark_versions.end());
            submit_as(self, x, assumed_version(x.agreed, of_workers));
          },
          [self, x](const caf::error& e) {
            x.answers.fail(self->system().render(e));
          });
}

/// As one of the version that is in a directory here.
void submit_as_at(SparkPeerSelf self, const Submission& x,
                  const std::string& home) {
  auto reader = self->spawn<caf::detached>(
      home_reader, self->state.services->version_of_home);
  self->request(reader, home_patience, home)
      .then(
          [self, x](const std::string& found) {
            if (auto version = version_at_home(x.agreed, found))
              submit_as(self, x, *version);
            else
              submit_as_assumed(self, x);
          },
          [self, x](const caf::error&) { submit_as_assumed(self, x); });
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
  Submission submission{answers, table, versions_of(tables), names_of(x, named),
                        *std::move(description)};
  if (auto stated = stated_version(submission.agreed, x))
    return submit_as(self, submission, *stated);
  // Nobody else may have this process look where he likes.
  auto may_look = is_here(self->state.connection->peer()) && user->may_all()
                  && self->state.services->version_of_home;
  auto home = may_look ? spark_home_of(x) : std::string{};
  if (home.empty())
    submit_as_assumed(self, submission);
  else
    submit_as_at(self, submission, home);
}

namespace {

/// Asks the master for something about a driver, if the user may know of it or end it. A driver
/// that is not there may be asked for.
/// @param refuse is called with the reason otherwise
template <class Answer, class Request, class Refuse>
void ask_about_driver(SparkPeerSelf self, const SparkAnswers& answers,
                      const spark::VersionTable& table, const Request& request,
                      const DriverId& id, const std::string& what,
                      Refuse refuse) {
  auto user = user_behind(self, what);
  if (!user)
    return refuse(user.error());
  if (user->may_all())
    return ask_master<Answer>(self, answers, table, request);
  RequestMasterState question;
  question.workers = question.applications = false;
  self->request(self->state.services->master, caf::infinite, question)
      .then(
          [=, &table, user = *user](const MasterStateResponse& x) {
            auto allowed = may_know(user, x, id);
            if (!allowed)
              return refuse(allowed.error());
            ask_master<Answer>(self, answers, table, request);
          },
          [self, answers](const caf::error& e) {
            answers.fail(self->system().render(e));
          });
}

} // namespace

void kill_driver(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id) {
  RequestKillDriver request{DriverId{id}};
  ask_about_driver<KillDriverResponse>(
      self, answers, table, request, request.driver_id, "ends a driver",
      [answers, &table, request](const Error& why) {
        answers.tell(to_content(
            table, KillDriverResponse{request.driver_id, false, why.message}));
      });
}

void tell_status(SparkPeerSelf self, const SparkAnswers& answers,
                 const spark::VersionTable& table, const std::string& id) {
  RequestDriverStatus request{DriverId{id}};
  ask_about_driver<DriverStatusResponse>(
      self, answers, table, request, request.driver_id, "asks for a driver",
      [answers, &table](const Error&) {
        answers.tell(to_content(table, DriverStatusResponse{}));
      });
}

} // namespace stoker
