#include "spark/message_reader.hpp"

#include <set>
#include <string>

#include "spark/java_reader.hpp"
#include "spark/java_view.hpp"
#include "tests/spark/bytes_of_java.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

const std::string deploy = "org.apache.spark.deploy.DeployMessages$";

/// A message and the graph that it is from.
struct ReadMessage {
  explicit ReadMessage(std::string_view bytes) : content(bytes) {
    root = read_or_throw(graph, content);
    auto result = read_message_to_master(graph, root);
    if (result)
      message = std::move(*result);
    else
      problem = result.error().message;
  }

  template <class T>
  const T& as() const {
    INFO(problem);
    REQUIRE(std::holds_alternative<T>(message));
    return std::get<T>(message);
  }

  std::string content;
  JavaGraph graph;
  NodeId root = null_node;
  MessageToMaster message;
  std::string problem;
};

ReadMessage read_recorded(const std::string& version, const std::string& name) {
  return ReadMessage{content_of(recorded(version, name))};
}

std::string problem_of_message(const std::string& items) {
  return ReadMessage{stream_start() + items}.problem;
}

const std::string text_type = text_item("Ljava/lang/String;");

} // namespace

TEST_CASE("recorded frames to a master are messages, the others are not") {
  std::set<std::size_t> kinds;
  for (const auto& from : recorded_frames()) {
    INFO(from.version << ' ' << from.file);
    ReadMessage read{content_of(from)};
    CHECK(read.problem == "");
    auto to_master = from.file.find("-master-") != std::string::npos
                     && from.file.find("-master-probe") == std::string::npos
                     && from.file.substr(4, 6) != "master"
                     && from.file.substr(4, 5) != "probe";
    auto to_endpoint
        = from.file.find("CheckExistence.bin") != std::string::npos;
    auto known = !std::holds_alternative<UnknownMessage>(read.message);
    if (to_master || to_endpoint)
      CHECK(known);
    if (known)
      kinds.insert(read.message.index());
  }
  // Each kind was recorded.
  CHECK(kinds.size() == std::variant_size_v<MessageToMaster> - 1);
}

TEST_CASE("an application registers with all that starts its executors") {
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    auto read = read_recorded(version, "RegisterApplication");
    const auto& message = read.as<RegisterApplication>();
    CHECK(message.driver.name == "AppClient");
    CHECK(message.driver.address.host == "127.0.0.1");
    CHECK(message.driver.address.port > 0);
    const auto& app = message.app;
    CHECK_FALSE(app.name.empty());
    CHECK_FALSE(app.user.empty());
    CHECK(app.command.main_class
          == "org.apache.spark.executor.CoarseGrainedExecutorBackend");
    REQUIRE(app.command.arguments.size() > 4);
    CHECK(app.command.arguments[0] == "--driver-url");
    CHECK_FALSE(app.command.java_opts.empty());
    CHECK(app.default_profile.id == 0);
    CHECK(app.default_profile.executor_resources.at("memory") == 600);
    CHECK(app.default_profile.task_resources.at("cpus") == 1.0);
    CHECK(JavaView(read.graph, app.node).class_name()
          == "org.apache.spark.deploy.ApplicationDescription");
    CHECK(JavaView(read.graph, message.driver.node).class_name()
          == "org.apache.spark.rpc.netty.NettyRpcEndpointRef");
  }
}

TEST_CASE("a worker registers, beats, and says what it runs") {
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    auto registered = read_recorded(version, "RegisterWorker");
    const auto& worker = registered.as<RegisterWorker>();
    CHECK(worker.id.starts_with("worker-"));
    CHECK(worker.host == "127.0.0.1");
    CHECK(worker.port == 7101);
    CHECK(worker.cores == 2);
    CHECK(worker.memory_mb == 2048);
    CHECK(worker.worker.name == "Worker");
    CHECK(worker.master_address == RpcAddress{"127.0.0.1", 7077});
    CHECK(worker.resources.empty());
    auto beat = read_recorded(version, "Heartbeat");
    CHECK(beat.as<Heartbeat>().worker_id.starts_with("worker-"));
    CHECK(beat.as<Heartbeat>().worker.address.port == 7101);
    auto state = read_recorded(version, "WorkerSchedulerStateResponse");
    const auto& executors = state.as<WorkerSchedulerStateResponse>().executors;
    REQUIRE_FALSE(executors.empty());
    CHECK(executors[0].executor.app_id.starts_with("app-"));
    CHECK(executors[0].executor.state == ExecutorState::running);
    CHECK(executors[0].executor.memory_mb == 600);
    CHECK(executors[0].executor.profile_id == 0);
  }
}

TEST_CASE("executors are asked for by profile, and given back by number") {
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    auto asked = read_recorded(version, "RequestExecutors");
    const auto& totals = asked.as<RequestExecutors>().totals;
    REQUIRE(totals.size() == 1);
    CHECK(totals[0].total == 1);
    CHECK(totals[0].profile.id == 0);
    CHECK(totals[0].profile.executor_resources.at("cores") == 1);
    auto killed = read_recorded(version, "KillExecutors");
    CHECK(killed.as<KillExecutors>().executor_ids.size() == 1);
  }
}

TEST_CASE("a driver is submitted with its command") {
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    auto read = read_recorded(version, "RequestSubmitDriver");
    const auto& driver = read.as<RequestSubmitDriver>().driver;
    CHECK(driver.jar_url.starts_with("file:/"));
    CHECK(driver.memory_mb == 512);
    CHECK(driver.cores == 1);
    CHECK_FALSE(driver.supervise);
    CHECK(driver.command.main_class
          == "org.apache.spark.deploy.worker.DriverWrapper");
    CHECK(driver.command.environment.contains("SPARK_HOME"));
    CHECK(JavaView(read.graph, driver.node).class_name()
          == "org.apache.spark.deploy.DriverDescription");
  }
}

TEST_CASE("an end is told with its state, and why") {
  for (const auto& from : recorded_frames()) {
    ReadMessage read{content_of(from)};
    INFO(from.version << ' ' << from.file);
    if (const auto* x = std::get_if<ExecutorStateChanged>(&read.message))
      if (x->state == ExecutorState::exited)
        CHECK(x->exit_status.has_value());
    if (const auto* x = std::get_if<DriverStateChanged>(&read.message)) {
      CHECK(x->driver_id.starts_with("driver-"));
      CHECK(x->exception.has_value() == (x->state == DriverState::error));
      if (x->exception)
        CHECK(*x->exception == "java.nio.file.NoSuchFileException");
    }
  }
}

TEST_CASE("a class that a master does not know is named") {
  auto text = ReadMessage{stream_start() + text_item("x")};
  CHECK(text.as<UnknownMessage>().class_name == "java.lang.String");
  auto other = ReadMessage{stream_start()
                           + object_item(class_item(deploy + "New", 2, {}))};
  CHECK(other.as<UnknownMessage>().class_name == deploy + "New");
  CHECK(ReadMessage{stream_start() + null_item}.as<UnknownMessage>().class_name
        == "");
  auto state = read_recorded("4.1.4", "RequestMasterState$");
  CHECK(state.as<UnknownMessage>().class_name
        == deploy + "RequestMasterState$");
}

TEST_CASE("one total of Spark 3.3 is for the default profile") {
  ReadMessage read{stream_start()
                   + object_item(class_item(deploy + "RequestExecutors", 2,
                                            {{'I', "requestedTotal", ""},
                                             {'L', "appId", text_type}}),
                                 big_endian(7, 4) + text_item("app-1"))};
  const auto& message = read.as<RequestExecutors>();
  CHECK(message.app_id == "app-1");
  REQUIRE(message.totals.size() == 1);
  CHECK(message.totals[0].profile.id == 0);
  CHECK(message.totals[0].total == 7);
}

TEST_CASE("a field that is missing or of another type is named") {
  CHECK(problem_of_message(
            object_item(class_item(deploy + "KillExecutors", 2, {})))
        == "a message to the master: KillExecutors.appId is missing");
  CHECK(problem_of_message(
            object_item(class_item(deploy + "UnregisterApplication", 2,
                                   {{'L', "appId", text_type}}),
                        integer_item(1)))
        == "a message to the master: UnregisterApplication.appId is no text");
  CHECK(problem_of_message(object_item(class_item(deploy + "RequestKillDriver",
                                                  2, {{'I', "driverId", ""}}),
                                       big_endian(1, 4)))
        != "");
  CHECK(
      problem_of_message(object_item(class_item(deploy + "Heartbeat", 2,
                                                {{'L', "worker", text_type},
                                                 {'L', "workerId", text_type}}),
                                     null_item + text_item("w")))
      == "a message to the master: Heartbeat.worker is null");
}

TEST_CASE("a state that is not known is refused") {
  auto value = class_item("scala.Enumeration$Val", 2, {{'I', "i", ""}});
  auto state = [&](std::int64_t ordinal) {
    return problem_of_message(object_item(
        class_item(deploy + "DriverStateChanged", 2,
                   {{'L', "driverId", text_type},
                    {'L', "exception", text_type},
                    {'L', "state", text_type}}),
        text_item("driver-1") + null_item
            + object_item(value,
                          big_endian(static_cast<std::uint64_t>(ordinal), 4))));
  };
  CHECK(state(7) == "");
  CHECK(state(8)
        == "a message to the master: DriverStateChanged.state has the unknown "
           "value 8");
  CHECK(state(-1) != "");
}

} // namespace stoker::spark::test
