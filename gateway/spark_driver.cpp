#include "gateway/spark_driver.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/app_client.hpp"
#include "gateway/spark_application.hpp"
#include "gateway/spark_version.hpp"
#include "network/new_endpoint.hpp"

namespace stoker {

namespace {

/// In its own process a master answers at once, or does not lead.
constexpr std::chrono::seconds master_patience{5};

/// What drivers of Spark call the endpoint that hears a master.
constexpr const char* app_client_endpoint = "AppClient";

void tell_driver(SparkPeerSelf self, const SparkDriverProxy& driver,
                 const ApplicationNews& news) {
  const auto& connection = self->state.connection;
  auto master = rpc_address(connection->here());
  if (auto content = to_content(*driver.table, news, master))
    connection->send(spark::one_way_frame(master, driver.address,
                                          driver.endpoint, *content));
}

/// Tells a driver why it has no application, or none any more.
void turn_away(SparkPeerSelf self, const SparkDriverProxy& driver,
               const std::string& why) {
  log_refusal(self, why);
  tell_driver(self, driver, ApplicationDead{EndReason::refused, why});
}

AppClientConfig client_config(EndpointId endpoint,
                              ApplicationDescription description) {
  AppClientConfig result;
  result.description = std::move(description);
  result.endpoint = std::move(endpoint);
  result.registration.answer_timeout = master_patience;
  result.registration.give_up_after = master_patience;
  return result;
}

/// From now on the peer is this driver.
void become(SparkPeerSelf self, SparkDriverProxy driver,
            AppClientConfig config) {
  auto& state = self->state;
  auto sink = [handle = SparkPeerActor{self}](const ApplicationNews& x) {
    caf::anon_send(handle, SparkNews{x});
  };
  driver.known_as = config.endpoint;
  state.connection->accept();
  state.services->present_peers->add(driver.known_as);
  driver.client = self->spawn(app_client, std::move(config),
                              state.services->connector, std::move(sink));
  state.driver = std::make_unique<SparkDriverProxy>(std::move(driver));
}

/// From now on it is none. Returns what it was.
std::unique_ptr<SparkDriverProxy> leave(SparkPeerSelf self) {
  auto result = std::exchange(self->state.driver, nullptr);
  if (result)
    self->state.services->present_peers->erase(result->known_as);
  return result;
}

/// In whose name a driver registers its application.
Result<std::string> registering_user(SparkPeerSelf self,
                                     const spark::RegisterApplication& x) {
  auto peer = user_behind(self, "registers");
  if (!peer)
    return std::move(peer).error();
  for (const auto& name : users_of(x))
    if (peer->may_be(name))
      return name;
  return Error{Errc::not_allowed,
               "user " + peer->name()
                   + " cannot register an application of user " + x.app.user};
}

/// Whether the peer is the driver of this application. If not, it is answered so.
bool is_driver_of(SparkPeerSelf self, const SparkAnswers& answers,
                  const std::string& id) {
  const auto& driver = self->state.driver;
  if (driver && driver->id && driver->id->value == id)
    return true;
  log_refusal(self, "it is not the driver of application " + id);
  answers.tell(false);
  return false;
}

/// Passes a request on to the master.
template <class Request>
void pass_on(SparkPeerSelf self, const SparkAnswers& answers,
             const Request& x) {
  self->request(self->state.driver->client, caf::infinite, x)
      .then([answers](bool done) { answers.tell(done); },
            [answers](const caf::error&) { answers.tell(false); });
}

} // namespace

void register_application(SparkPeerSelf self, const spark::JavaGraph& graph,
                          const spark::RegisterApplication& x) {
  const auto& state = self->state;
  if (state.driver) {
    // It tries again when it was not answered in time.
    if (const auto& id = state.driver->id)
      tell_driver(self, *state.driver, ApplicationConnected{*id, {}});
    return;
  }
  if (state.worker)
    return log_refusal(self, "a worker cannot register an application");
  SparkDriverProxy driver;
  driver.endpoint = x.driver.name;
  driver.address = x.driver.address;
  auto tables
      = narrow_by_options(tables_of(self, graph), x.app.command.java_opts);
  driver.table = tables.front();
  auto user = registering_user(self, x);
  if (!user)
    return turn_away(self, driver, user.error().message);
  auto description = to_description(x, driver.table->version());
  if (!description)
    return turn_away(self, driver, description.error().message);
  description->user = *user;
  driver.shown = x.app.name + " of user " + *user + " at "
                 + to_string(state.connection->peer());
  driver.open_version = begin_version(self, tables, driver.shown, *description);
  become(self, std::move(driver),
         client_config(new_endpoint("spark-driver"), *std::move(description)));
}

void request_executors(SparkPeerSelf self, const SparkAnswers& answers,
                       const spark::RequestExecutors& x) {
  if (!is_driver_of(self, answers, x.app_id))
    return;
  auto wanted = wanted_executors(x);
  if (!wanted) {
    // A driver hides the answer to this request, and its stage would wait for ever. It fails
    // its stages with a reason only if its application is removed.
    answers.tell(false);
    const auto& why = wanted.error().message;
    turn_away(self, *self->state.driver, why);
    return end_application(self, why);
  }
  RequestExecutors request;
  request.app_id = AppId{x.app_id};
  request.requested_total = *wanted;
  pass_on(self, answers, request);
}

void kill_executors(SparkPeerSelf self, const SparkAnswers& answers,
                    const spark::KillExecutors& x) {
  if (is_driver_of(self, answers, x.app_id))
    pass_on(self, answers,
            KillExecutors{AppId{x.app_id}, executor_ids(x.executor_ids)});
}

void unregister_application(SparkPeerSelf self, const SparkAnswers& answers,
                            const spark::UnregisterApplication& x) {
  if (is_driver_of(self, answers, x.app_id))
    end_application(self, std::nullopt);
}

void hear_news(SparkPeerSelf self, const ApplicationNews& news) {
  auto& driver = self->state.driver;
  if (!driver)
    return;
  const auto* dead = std::get_if<ApplicationDead>(&news);
  // A master that does not lead is silent: the driver asks again, and others.
  if (dead != nullptr && dead->reason == EndReason::master_lost) {
    leave(self);
    return;
  }
  if (const auto* x = std::get_if<ApplicationConnected>(&news))
    driver->id = x->id;
  tell_driver(self, *driver, news);
  if (std::holds_alternative<ApplicationConnected>(news))
    find_version(self);
  if (dead != nullptr)
    end_application(self, std::nullopt);
}

void end_application(SparkPeerSelf self,
                     const std::optional<std::string>& failure) {
  if (auto driver = leave(self))
    caf::anon_send(driver->client, StopAppClient{false, failure});
}

// -- drivers of the last leader -----------------------------------------------

namespace {

/// That of a driver that is stored.
SparkDriverProxy proxy_of(const SparkDriver& x) {
  SparkDriverProxy result;
  result.endpoint = app_client_endpoint;
  result.address = {x.host, x.port};
  result.table = &spark::table_of_version(x.wire_version);
  return result;
}

} // namespace

void call_back(SparkPeerSelf self, const SparkDriverRecall& x) {
  const auto& connection = self->state.connection;
  auto driver = proxy_of(*x.description.spark_driver);
  auto master = rpc_address(connection->here());
  connection->send(spark::one_way_frame(
      master, driver.address, driver.endpoint,
      write(*driver.table,
            spark::MasterChanged{master,
                                 self->state.services->pages_url->get()})));
}

void acknowledge(SparkPeerSelf self, const spark::MasterChangeAcknowledged& x) {
  auto call = std::exchange(self->state.recall, nullptr);
  auto* recall = call ? std::get_if<SparkDriverRecall>(&*call) : nullptr;
  if (recall == nullptr || recall->app_id.value != x.app_id)
    return log_refusal(self, "it was not asked for application " + x.app_id);
  auto driver = proxy_of(*recall->description.spark_driver);
  driver.id = recall->app_id;
  auto config = client_config(recall->endpoint, std::move(recall->description));
  config.app_id = recall->app_id;
  config.life = recall->epoch.value;
  driver.shown = "application " + x.app_id;
  spdlog::info("[spark-driver] {} follows this leader", driver.shown);
  driver.open_version
      = continue_version(*self->state.connection, config.description);
  become(self, std::move(driver), std::move(config));
}

} // namespace stoker
