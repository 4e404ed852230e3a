#include "gateway/spark_peer.hpp"

#include <chrono>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "actors/app_client.hpp"
#include "actors/failure.hpp"
#include "gateway/spark_application.hpp"
#include "network/new_endpoint.hpp"
#include "spark/frame.hpp"
#include "spark/java_reader.hpp"
#include "spark/java_view.hpp"
#include "spark/message_reader.hpp"
#include "spark/message_writer.hpp"
#include "spark/rpc_message.hpp"
#include "spark/wire_error.hpp"

namespace stoker {

namespace {

using Self = SparkPeerActor::stateful_pointer<SparkPeerState>;

constexpr const char* verifier_endpoint = "endpoint-verifier";
constexpr const char* master_endpoint = "Master";

/// In its own process a master answers at once, or does not lead.
constexpr std::chrono::seconds master_patience{5};

/// With these bytes a request for authentication begins (SaslMessage, AuthMessage).
bool is_authentication(std::string_view body) {
  constexpr char sasl = '\xea';
  constexpr char auth_engine = '\xfb';
  return !body.empty() && (body.front() == sasl || body.front() == auth_engine);
}

// -- answers ------------------------------------------------------------------

/// How a message is answered, if it is a request.
class Answers {
public:
  Answers(FrameConnectionPtr connection, const spark::Frame& frame)
      : connection_(std::move(connection)),
        is_asked_(frame.type == spark::FrameType::rpc_request),
        request_(frame.request_id) {
  }

  void tell(std::string_view content) const {
    if (is_asked_)
      connection_->send(spark::response_frame(request_, content));
  }
  void tell(bool x) const {
    tell(spark::written_boolean(x));
  }

  /// Who asked throws an exception that says so.
  void fail(std::string_view why) const {
    if (is_asked_)
      connection_->send(spark::failure_frame(request_, why));
  }

private:
  FrameConnectionPtr connection_;
  bool is_asked_;
  std::int64_t request_;
};

/// Logs what somebody sent that he should not have.
void refuse(Self self, const std::string& what) {
  const auto& state = self->state;
  state.services->refusals->warn(to_string(state.connection->peer()) + ": "
                                 + what);
}

spark::RpcAddress address_of(const SocketAddress& x) {
  return {x.host, x.port};
}

// -- drivers ------------------------------------------------------------------

void tell_driver(Self self, const SparkDriverProxy& driver,
                 const ApplicationNews& news) {
  const auto& connection = self->state.connection;
  auto master = address_of(connection->here());
  if (auto content = to_content(*driver.table, news, master))
    connection->send(spark::one_way_frame(master, driver.address,
                                          driver.endpoint, *content));
}

/// Whether the user behind a connection may register an application under this name.
Status check_user(Self self, const std::string& name) {
  const auto& connection = *self->state.connection;
  auto user = user_of_peer(self->state.services->users, connection.here(),
                           connection.peer(), "registers");
  if (!user)
    return std::move(user).error();
  if (!user->may_be(name))
    return Error{Errc::not_allowed,
                 "user " + user->name()
                     + " cannot register an application of user " + name};
  return {};
}

/// The form of messages that the sender of a graph understands.
const spark::VersionTable& table_of(Self self, const spark::JavaGraph& graph) {
  std::vector<spark::ClassId> ids;
  for (const auto& [name, id] : class_ids(graph))
    ids.push_back({name, id});
  auto choice = spark::choose_table(ids);
  const auto& result = *choice.tables.front();
  if (choice.is_guess)
    spdlog::warn(
        "[spark-version-unknown] {} has a version of Spark that is not "
        "known; it is taken for {}",
        to_string(self->state.connection->peer()), result.version());
  return result;
}

/// Tells a driver that is not registered why.
void turn_away(Self self, const SparkDriverProxy& driver,
               const std::string& why) {
  refuse(self, why);
  tell_driver(self, driver, ApplicationDead{EndReason::refused, why});
}

void start_client(Self self, SparkDriverProxy& driver,
                  ApplicationDescription description) {
  const auto& state = self->state;
  AppClientConfig config;
  config.description = std::move(description);
  config.endpoint = new_endpoint("spark-driver");
  config.registration.answer_timeout = master_patience;
  config.registration.give_up_after = master_patience;
  auto sink = [handle = SparkPeerActor{self}](const ApplicationNews& x) {
    caf::anon_send(handle, SparkNews{x});
  };
  driver.client = self->spawn(app_client, std::move(config),
                              state.services->connector, std::move(sink));
}

void hear(Self self, const spark::JavaGraph& graph,
          const spark::RegisterApplication& x) {
  auto& state = self->state;
  if (state.driver) {
    // It tries again when it was not answered in time.
    if (const auto& id = state.driver->id)
      tell_driver(self, *state.driver, ApplicationConnected{*id, {}});
    return;
  }
  const auto& table = table_of(self, graph);
  SparkDriverProxy driver{
      {}, x.driver.name, x.driver.address, &table, std::nullopt};
  if (auto allowed = check_user(self, x.app.user); !allowed)
    return turn_away(self, driver, allowed.error().message);
  auto description = to_description(x, table.version(), table.version());
  if (!description)
    return turn_away(self, driver, description.error().message);
  spdlog::info("[spark-driver] {} of user {} at {} has Spark {}", x.app.name,
               x.app.user, to_string(state.connection->peer()),
               table.version());
  start_client(self, driver, *std::move(description));
  state.driver.emplace(std::move(driver));
}

/// Ends the application, unless it has ended.
void end_application(Self self, const std::optional<std::string>& failure) {
  auto driver = std::exchange(self->state.driver, std::nullopt);
  if (driver)
    caf::anon_send(driver->client, StopAppClient{false, failure});
}

/// Whether the peer is the driver of this application. If not, it gets no answer but that.
bool is_driver_of(Self self, const Answers& answers, const std::string& id) {
  const auto& driver = self->state.driver;
  if (driver && driver->id && driver->id->value == id)
    return true;
  refuse(self, "it is not the driver of application " + id);
  answers.tell(false);
  return false;
}

/// Passes a request on to the master.
template <class Request>
void pass_on(Self self, const Answers& answers, const Request& x) {
  self->request(self->state.driver->client, caf::infinite, x)
      .then([answers](bool done) { answers.tell(done); },
            [answers](const caf::error&) { answers.tell(false); });
}

// -- messages -----------------------------------------------------------------

/// What the peer says to the endpoint "Master".
class Conversation {
public:
  Conversation(Self self, const Answers& answers, const spark::JavaGraph& graph)
      : self_(self), answers_(answers), graph_(graph) {
  }

  void operator()(const spark::RegisterApplication& x) const {
    hear(self_, graph_, x);
  }

  void operator()(const spark::UnregisterApplication& x) const {
    if (is_driver_of(self_, answers_, x.app_id))
      end_application(self_, std::nullopt);
  }

  void operator()(const spark::RequestExecutors& x) const {
    if (!is_driver_of(self_, answers_, x.app_id))
      return;
    auto wanted = wanted_executors(x);
    for (auto id : wanted.ignored_profiles)
      refuse(self_, "executors of resource profile " + std::to_string(id)
                        + " cannot be had, only those of the default profile");
    pass_on(self_, answers_,
            RequestExecutors{AppId{x.app_id}, wanted.total, {}, {}});
  }

  void operator()(const spark::KillExecutors& x) const {
    if (is_driver_of(self_, answers_, x.app_id))
      pass_on(self_, answers_,
              KillExecutors{AppId{x.app_id}, executor_ids(x.executor_ids)});
  }

  void operator()(const spark::CheckExistence&) const {
    answers_.tell(false);
  }

  void operator()(const spark::UnknownMessage& x) const {
    no_use_for(x.class_name);
  }

  template <class Other>
  void operator()(const Other&) const {
    no_use_for("this message");
  }

private:
  void no_use_for(const std::string& what) const {
    refuse(self_, "there is no use for " + what + " here");
    answers_.fail("this master has no use for " + what);
  }

  Self self_;
  const Answers& answers_;
  const spark::JavaGraph& graph_;
};

void verify_endpoint(const Answers& answers, const spark::MessageToMaster& x) {
  const auto* question = std::get_if<spark::CheckExistence>(&x);
  answers.tell(question != nullptr && question->name == master_endpoint);
}

/// What is wrong with a frame that cannot be read, or not be used.
Status take(Self self, const spark::Frame& frame) {
  Answers answers{self->state.connection, frame};
  // Answers to what was never asked.
  if (frame.type == spark::FrameType::rpc_response
      || frame.type == spark::FrameType::rpc_failure)
    return {};
  if (is_authentication(frame.body)) {
    answers.fail("authentication is not supported by this master: set "
                 "spark.authenticate to false");
    return invalid("it wants to authenticate, which is not supported");
  }
  auto message = spark::read_rpc_message(frame.body);
  if (!message)
    return std::move(message).error();
  spark::JavaGraph graph;
  auto root = spark::read_java(graph, message->content);
  if (!root)
    return std::move(root).error();
  auto content = spark::read_message_to_master(graph, *root);
  if (!content)
    return std::move(content).error();
  if (message->endpoint == verifier_endpoint)
    verify_endpoint(answers, *content);
  else if (message->endpoint == master_endpoint)
    std::visit(Conversation{self, answers, graph}, *content);
  else
    answers.fail("there is no endpoint " + message->endpoint + " here");
  return {};
}

void receive(Self self, const SparkFrame& x) {
  const auto& connection = self->state.connection;
  std::string_view bytes{x.bytes};
  auto frame = spark::take_frame(bytes);
  Status status;
  if (!frame)
    status = std::move(frame).error();
  else if (*frame)
    status = take(self, **frame);
  connection->processed();
  if (!status) {
    refuse(self, status.error().message);
    connection->close(status.error().message);
  }
}

void hear(Self self, const ApplicationNews& news) {
  auto& driver = self->state.driver;
  if (!driver)
    return;
  if (const auto* x = std::get_if<ApplicationConnected>(&news))
    driver->id = x->id;
  const auto* dead = std::get_if<ApplicationDead>(&news);
  // A master that does not lead is silent: the driver asks again, and others.
  if (dead != nullptr && dead->reason == EndReason::master_lost)
    return driver.reset();
  tell_driver(self, *driver, news);
  if (dead != nullptr)
    end_application(self, std::nullopt);
}

} // namespace

SparkPeerActor::behavior_type
spark_peer(Self self, FrameConnectionPtr connection,
           std::shared_ptr<const SparkPeerServices> services) {
  handle_the_unexpected(self);
  self->state.connection = std::move(connection);
  self->state.services = std::move(services);
  return {
      [self](const SparkFrame& x) { receive(self, x); },
      [self](const SparkConnectionClosed& x) {
        end_application(self, "its driver has gone: " + x.why);
        self->quit();
      },
      [self](const SparkNews& x) { hear(self, x.news); },
  };
}

} // namespace stoker
