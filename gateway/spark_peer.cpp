#include "gateway/spark_peer.hpp"

#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/mp11.hpp>

#include "actors/failure.hpp"
#include "gateway/spark_answers.hpp"
#include "gateway/spark_driver.hpp"
#include "gateway/spark_orders.hpp"
#include "gateway/spark_reader.hpp"
#include "gateway/spark_submitter.hpp"
#include "gateway/spark_version.hpp"
#include "gateway/spark_worker.hpp"
#include "spark/frame.hpp"

namespace stoker {

namespace {

constexpr const char* verifier_endpoint = "endpoint-verifier";
constexpr const char* master_endpoint = "Master";

/// With these bytes a request for authentication begins (SaslMessage, AuthMessage).
bool is_authentication(std::string_view body) {
  constexpr char sasl = '\xea';
  constexpr char auth_engine = '\xfb';
  return !body.empty() && (body.front() == sasl || body.front() == auth_engine);
}

/// What Spark's processes tell, and wait for no answer.
using Told = boost::mp11::mp_list<
    spark::RegisterApplication, spark::UnregisterApplication,
    spark::MasterChangeAcknowledged, spark::RegisterWorker, spark::Heartbeat,
    spark::WorkerLatestState, spark::WorkerSchedulerStateResponse,
    spark::DriverStateChanged, spark::WorkerDecommissioning>;

template <class T>
constexpr bool is_told = boost::mp11::mp_contains<Told, T>::value;

/// What the peer says to the endpoint "Master".
class Conversation {
public:
  /// @param frame what all of it stands in
  Conversation(SparkPeerSelf self, const SparkAnswers& answers,
               const spark::JavaGraph& graph, const std::string& frame)
      : self_(self), answers_(answers), graph_(graph), frame_(frame) {
  }

  template <class Message>
  void operator()(const Message& x) const {
    if (is_told<Message> && answers_.are_wanted())
      no_use_for("a question about this");
    else
      hear(x);
  }

private:
  void hear(const spark::RegisterApplication& x) const {
    register_application(self_, graph_, x);
  }
  void hear(const spark::UnregisterApplication& x) const {
    unregister_application(self_, answers_, x);
  }
  void hear(const spark::RequestExecutors& x) const {
    request_executors(self_, answers_, x);
  }
  void hear(const spark::KillExecutors& x) const {
    kill_executors(self_, answers_, x);
  }
  void hear(const spark::MasterChangeAcknowledged& x) const {
    acknowledge(self_, x);
  }
  void hear(const spark::RequestSubmitDriver& x) const {
    submit(self_, answers_, tables_of(self_, graph_), x);
  }
  void hear(const spark::RequestKillDriver& x) const {
    kill_driver(self_, answers_, table(), x.driver_id);
  }
  void hear(const spark::RequestDriverStatus& x) const {
    tell_status(self_, answers_, table(), x.driver_id);
  }
  void hear(const spark::RegisterWorker& x) const {
    register_worker(self_, tables_of(self_, graph_), x);
  }
  void hear(const spark::Heartbeat& x) const {
    pass_on_heartbeat(self_, x, frame_);
  }
  void hear(const spark::WorkerLatestState& x) const {
    report_state(self_, x);
  }
  void hear(const spark::WorkerSchedulerStateResponse& x) const {
    report_state(self_, x);
  }
  void hear(const spark::ExecutorStateChanged& x) const {
    report_change(self_, answers_, x);
  }
  void hear(const spark::DriverStateChanged& x) const {
    report_change(self_, x);
  }
  void hear(const spark::WorkerDecommissioning& x) const {
    decommission(self_, x);
  }
  void hear(const spark::CheckExistence&) const {
    answers_.tell(false);
  }
  void hear(const spark::UnknownMessage& x) const {
    no_use_for(x.class_name);
  }

  [[nodiscard]] const spark::VersionTable& table() const {
    return *tables_of(self_, graph_).front();
  }

  void no_use_for(const std::string& what) const {
    log_refusal(self_, "there is no use for " + what + " here");
    answers_.fail("this master has no use for " + what);
  }

  SparkPeerSelf self_;
  const SparkAnswers& answers_;
  const spark::JavaGraph& graph_;
  const std::string& frame_;
};

void verify_endpoint(const SparkAnswers& answers,
                     const spark::MessageToMaster& x) {
  const auto* question = std::get_if<spark::CheckExistence>(&x);
  answers.tell(question != nullptr && question->name == master_endpoint);
}

void hear(SparkPeerSelf self, const SparkMessage& x) {
  SparkAnswers answers{self->state.connection, x.frame};
  if (x.endpoint == verifier_endpoint)
    verify_endpoint(answers, x.content);
  else if (x.endpoint == master_endpoint)
    std::visit(Conversation{self, answers, x.graph, x.bytes}, x.content);
  else
    answers.fail("there is no endpoint " + x.endpoint + " here");
}

/// The peer is done with a frame. A frame that cannot be read or used ends the connection.
void conclude(SparkPeerSelf self, const Status& status) {
  const auto& connection = self->state.connection;
  connection->processed();
  if (status)
    return;
  log_refusal(self, status.error().message);
  connection->close(status.error().message);
}

void take(SparkPeerSelf self, const Result<SparkMessagePtr>& message) {
  if (!message)
    return conclude(self, message.error());
  Status status;
  try {
    hear(self, **message);
  } catch (const std::exception& error) {
    // Without this actor the connection would stay.
    status = Error{Errc::failed, error.what()};
  }
  conclude(self, status);
}

Result<SparkMessagePtr> read_here(std::string bytes) {
  try {
    return read_message(std::move(bytes));
  } catch (const std::exception& error) {
    return Error{Errc::failed, error.what()};
  }
}

bool is_answer(const spark::Frame& x) {
  return x.type == spark::FrameType::rpc_response
         || x.type == spark::FrameType::rpc_failure;
}

void receive(SparkPeerSelf self, SparkFrame& x) {
  std::string_view rest{x.bytes};
  auto frame = spark::take_frame(rest);
  if (!frame)
    return conclude(self, std::move(frame).error());
  // The master asks nothing that has an answer.
  if (!*frame || is_answer(**frame))
    return conclude(self, {});
  if (is_authentication((**frame).body)) {
    SparkAnswers{self->state.connection, **frame}.fail(
        "authentication is not supported by this master: set "
        "spark.authenticate to false");
    return conclude(
        self, invalid("it wants to authenticate, which is not supported"));
  }
  const auto& reader = self->state.services->reader;
  if (!reader || x.bytes.size() < large_message_bytes)
    return take(self, read_here(std::move(x.bytes)));
  // What the peer says next waits.
  self->request(reader, caf::infinite, ReadSparkMessage{std::move(x.bytes)})
      .await([self](const SparkMessageRead& read) { take(self, read.message); },
             [self](const caf::error& e) {
               conclude(self, Error{Errc::failed, self->system().render(e)});
             });
}

} // namespace

SparkPeerActor::behavior_type
spark_peer(SparkPeerSelf self, FrameConnectionPtr connection,
           std::shared_ptr<KnownHeartbeat> heartbeat,
           std::shared_ptr<const SparkPeerServices> services,
           std::optional<SparkRecall> recall) {
  handle_the_unexpected(self);
  self->state.connection = std::move(connection);
  self->state.heartbeat = std::move(heartbeat);
  self->state.services = std::move(services);
  if (recall)
    self->state.recall = std::make_unique<SparkRecall>(*std::move(recall));
  if (const auto& whom = self->state.recall)
    std::visit([self](const auto& x) { call_back(self, x); }, *whom);
  auto tell_worker = [self](LeaderEpoch, const auto& x) { pass_on(self, x); };
  return {
      [=](LeaderEpoch e, const RegisteredWorker& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const RegisterWorkerFailed& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const MasterInStandby& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const ReconnectWorker& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const DecommissionWorker& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const MasterChanged& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const LaunchExecutor& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const KillExecutor& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const ApplicationFinished& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const LaunchDriver& x) { tell_worker(e, x); },
      [=](LeaderEpoch e, const KillDriver& x) { tell_worker(e, x); },
      [self](const RequestOutput&) -> caf::result<OutputResponse> {
        return caf::make_error(Errc::not_found, why_no_output(self));
      },
      [](const WriteInput&) -> caf::result<InputResponse> {
        InputResponse refusal;
        refusal.problem = "it runs on a worker of Spark's, whose programs have "
                          "no input";
        return refusal;
      },
      [self](SparkFrame& x) { receive(self, x); },
      [self](const SparkConnectionClosed& x) {
        end_application(self, "its driver has gone: " + x.why);
        leave_worker(self);
        self->quit();
      },
      [self](const SparkNews& x) { hear_news(self, x.news); },
      [self](const SparkVersionSaid& x) {
        if (self->state.worker)
          hear_version_of_worker(self, x.version);
        else
          hear_version(self, x.version);
      },
  };
}

} // namespace stoker
