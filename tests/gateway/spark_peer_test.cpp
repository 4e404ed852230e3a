// Drivers of Spark between a real master and a connection that is kept in memory. What
// they say was recorded, or is written as their version writes it.

#include "gateway/spark_peer.hpp"

#include <unistd.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "actors/connector.hpp"
#include "actors/feed.hpp"
#include "actors/master.hpp"
#include "spark/frame.hpp"
#include "spark/java_builder.hpp"
#include "spark/java_json.hpp"
#include "spark/java_reader.hpp"
#include "spark/rpc_message.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// A connection whose other end is the test.
class ConnectionInMemory : public FrameConnection {
public:
  void send(std::string frame) override {
    sent.push_back(std::move(frame));
  }
  void send_with_file(std::string, FileSegment) override {
    FAIL("a driver is sent no files");
  }
  void processed() override {
    ++frames_processed;
  }
  void close(std::string why) override {
    closed_because = std::move(why);
  }
  [[nodiscard]] const SocketAddress& here() const override {
    return here_;
  }
  [[nodiscard]] const SocketAddress& peer() const override {
    return peer_;
  }

  std::deque<std::string> sent;
  int frames_processed = 0;
  std::string closed_because;

private:
  SocketAddress here_{"127.0.0.1", 7077};
  SocketAddress peer_{"127.0.0.1", 50'000};
};

const spark::VersionTable& table_of(const std::string& version) {
  for (const auto& x : spark::version_tables())
    if (x.version() == version)
      return x;
  FAIL("no table of " << version);
  return spark::version_tables().front();
}

std::string message_name(const std::string& name) {
  return "org.apache.spark.deploy.DeployMessages$" + name;
}

std::string frame_with(spark::FrameType type, std::int64_t request,
                       const std::string& endpoint,
                       const std::string& content) {
  std::string body;
  spark::append_rpc_message(body, {spark::RpcAddress{"127.0.0.1", 40'253},
                                   spark::RpcAddress{"127.0.0.1", 7077},
                                   endpoint, content});
  std::string result;
  spark::append_frame(result, {type, request, body});
  return result;
}

/// What a driver is told: the class and the fields of a message, or an answer.
std::string read(const std::string& bytes) {
  std::string_view rest{bytes};
  auto frame = spark::take_frame(rest);
  REQUIRE(frame);
  REQUIRE(*frame);
  auto body = (*frame)->body;
  if ((*frame)->type == spark::FrameType::rpc_failure)
    return "failure: " + std::string{body};
  std::string result;
  if ((*frame)->type == spark::FrameType::one_way_message) {
    auto message = spark::read_rpc_message(body);
    REQUIRE(message);
    CHECK(message->endpoint == "AppClient");
    body = message->content;
  }
  spark::JavaGraph graph;
  auto root = spark::read_java(graph, body);
  REQUIRE(root);
  auto value = java_json(graph, *root);
  auto* object = value.if_object();
  if (object == nullptr)
    return boost::json::serialize(value);
  std::string name{object->at("@").as_string()};
  object->stable_erase("master");
  object->stable_erase("@");
  return name.substr(name.rfind('$') + 1) + ' ' + boost::json::serialize(value);
}

struct PeerFixture : DeterministicSystem {
  MasterActor master;
  WorkerRecordPtr worker_record = std::make_shared<WorkerRecord>();
  std::shared_ptr<ConnectionInMemory> connection
      = std::make_shared<ConnectionInMemory>();
  std::shared_ptr<SparkPeerServices> services
      = std::make_shared<SparkPeerServices>();
  SparkPeerActor peer;
  std::string version = "3.5.9";

  /// Who asked pages of drivers, and which. Unless they are kept waiting, they are
  /// answered by the version.
  std::vector<SocketAddress> pages_asked;
  std::vector<std::function<void(Result<std::string>)>> page_questions;
  bool pages_are_slow = false;

  PeerFixture() {
    services->ask_version = [this](const SocketAddress& page, auto answered) {
      pages_asked.push_back(page);
      if (pages_are_slow)
        page_questions.push_back(answered);
      else
        answered(version);
    };
    ClusterConfig config;
    config.master_url = "stoker://m:1";
    start(config, {});
  }

  void start(const ClusterConfig& config, MasterServices beside) {
    master = spawn(stoker::master, config, std::move(beside));
    services->master = master;
    services->connector = local_connector(system, master);
    services->users = SparkUsers::any;
    connect();
  }

  void connect() {
    connection = std::make_shared<ConnectionInMemory>();
    peer = spawn(spark_peer, FrameConnectionPtr{connection},
                 std::shared_ptr<const SparkPeerServices>{services},
                 std::optional<SparkRecall>{});
  }

  void add_worker() {
    auto worker = spawn(worker_recorder, worker_record);
    RegisterWorker x{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 0, 4, 4096};
    x.spark_versions = {version};
    caf::send_as(caf::actor_cast<caf::actor>(worker), master, x);
    scheduler.run();
  }

  void say(std::string frame) {
    caf::anon_send(peer, SparkFrame{std::move(frame)});
    scheduler.run();
  }

  /// What was recorded of a driver of this version.
  void say_recorded(const std::string& message) {
    say(spark::test::recorded(version, message).bytes);
  }

  void page_says(const Result<std::string>& x) {
    REQUIRE(page_questions.size() == 1);
    page_questions.front()(x);
    page_questions.clear();
    scheduler.run();
  }

  /// Of the programs that the worker was told to start.
  std::vector<std::string> versions_launched() {
    std::vector<std::string> result;
    for (const auto& x : worker_record->launches)
      result.push_back(x.app_desc.command.spark->version);
    return result;
  }

  template <class Make>
  void say_new(spark::FrameType type, Make make) {
    spark::JavaBuilder builder{table_of(version)};
    say(frame_with(type, 77, "Master", builder.write(make(builder))));
  }

  std::vector<std::string> take() {
    std::vector<std::string> result;
    for (const auto& frame : std::exchange(connection->sent, {}))
      result.push_back(read(frame));
    return result;
  }

  std::vector<ApplicationInfo> applications() {
    auto state = ask<MasterStateResponse>(master, RequestMasterState{});
    auto result = state->active_apps;
    for (const auto& x : state->completed_apps)
      result.push_back(x);
    return result;
  }

  std::string app_id() {
    auto all = applications();
    REQUIRE(all.size() == 1);
    return all.front().id.value;
  }
};

using Told = std::vector<std::string>;

} // namespace

TEST_CASE_METHOD(PeerFixture,
                 "a driver of any version registers and gets executors",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  add_worker();
  say_recorded("CheckExistence");
  CHECK(take() == Told{"true"});
  say_recorded("$RegisterApplication");
  auto id = app_id();
  CHECK(take()
        == Told{"RegisteredApplication {\"appId\":\"" + id + "\"}",
                R"(ExecutorAdded {"cores":4,"id":0,"memory":600,)"
                R"("hostPort":"h1:0","workerId":"w1"})"});
  REQUIRE(worker_record->launches.size() == 1);
  const auto& launch = worker_record->launches.front();
  CHECK(launch.memory_mb == 600);
  CHECK(launch.app_desc.name == "basic");
  CHECK(launch.app_desc.user == "root");
  const auto& command = launch.app_desc.command;
  REQUIRE(command.spark);
  CHECK(command.spark->main_class
        == "org.apache.spark.executor.CoarseGrainedExecutorBackend");
  CHECK(command.arguments.at(0) == "--driver-url");
  CHECK(command.environment.at("SPARK_USER") == "root");
  ExecutorStateChanged running{AppId{id}, 0, ExecutorState::RUNNING, {}, {}};
  CHECK(*ask<bool>(master, running));
  CHECK(take()
        == Told{R"(ExecutorUpdated {"id":0,"exitStatus":null,"message":null,)"
                R"("state":{"enum":"org.apache.spark.deploy.ExecutorState$",)"
                R"("id":1},"workerHost":null})"});
  ExecutorStateChanged ended{AppId{id}, 0, ExecutorState::EXITED,
                             "the program was ended by signal 9", 137};
  CHECK(*ask<bool>(master, ended));
  auto told = take();
  REQUIRE(told.size() == 2);
  CHECK(told.at(0).find(R"("exitStatus":[137])") != std::string::npos);
  CHECK(told.at(1).find(R"(ExecutorAdded {"cores":4,"id":1)") == 0);
}

TEST_CASE_METHOD(PeerFixture,
                 "executors come when the driver's page has said its version",
                 "[gateway]") {
  pages_are_slow = true;
  add_worker();
  say_recorded("$RegisterApplication");
  // It has to know that it is registered before its page has answers.
  CHECK(take()
        == Told{"RegisteredApplication {\"appId\":\"" + app_id() + "\"}"});
  REQUIRE(pages_asked.size() == 1);
  CHECK(pages_asked.front().host == "127.0.0.1");
  CHECK(worker_record->launches.empty());
  SECTION("its worker may have a Spark that is as good") {
    page_says("3.5.1");
    CHECK(versions_launched() == Told{"3.5.1"});
  }
  SECTION("it may be another release that looks the same") {
    page_says("3.4.4");
    CHECK(worker_record->launches.empty());
    version = "3.4.1";
    add_worker();
    CHECK(versions_launched() == Told{"3.4.4"});
  }
  SECTION("without an answer, the newest that looks the same is taken") {
    page_says(invalid("Connection refused"));
    CHECK(versions_launched() == Told{"3.5.9"});
  }
  SECTION("it may have asked for executors meanwhile") {
    say_new(spark::FrameType::rpc_request, [&](auto& builder) {
      return builder.object(
          message_name("RequestExecutors"),
          {{"appId", builder.text(app_id())},
           {"resourceProfileToTotalExecs", builder.empty_map()}});
    });
    CHECK(take() == Told{"true"});
    page_says("3.5.9");
    CHECK(worker_record->launches.empty());
  }
  SECTION("it may have gone") {
    caf::anon_send(peer, SparkConnectionClosed{"it was closed by the peer"});
    page_says("3.5.9");
    CHECK(worker_record->launches.empty());
  }
}

TEST_CASE_METHOD(PeerFixture, "a driver that says goodbye has finished",
                 "[gateway]") {
  say_recorded("$RegisterApplication");
  auto id = app_id();
  say_new(spark::FrameType::one_way_message, [&](auto& builder) {
    return builder.object(message_name("UnregisterApplication"),
                          {{"appId", builder.text(id)}});
  });
  CHECK(applications().front().state == ApplicationState::FINISHED);
  caf::anon_send(peer, SparkConnectionClosed{"it was closed by the peer"});
  scheduler.run();
  CHECK(applications().front().state == ApplicationState::FINISHED);
}

TEST_CASE_METHOD(PeerFixture, "a driver that only goes has failed",
                 "[gateway]") {
  say_recorded("$RegisterApplication");
  caf::anon_send(peer, SparkConnectionClosed{"it was closed by the peer"});
  scheduler.run();
  auto app = applications().front();
  CHECK(app.state == ApplicationState::FAILED);
}

TEST_CASE_METHOD(PeerFixture, "a driver that asks again is told what it is",
                 "[gateway]") {
  say_recorded("$RegisterApplication");
  auto first = take();
  say_recorded("$RegisterApplication");
  CHECK(take() == first);
  CHECK(applications().size() == 1);
}

TEST_CASE_METHOD(PeerFixture, "a driver sets how many executors it has",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  add_worker();
  say_recorded("$RegisterApplication");
  auto id = app_id();
  take();
  auto request = [&](std::int32_t profile, std::int32_t total) {
    say_new(spark::FrameType::rpc_request, [&](auto& builder) {
      auto key = builder.object("org.apache.spark.resource.ResourceProfile",
                                {{"_id", profile},
                                 {"executorResources", builder.empty_map()},
                                 {"taskResources", builder.empty_map()}});
      auto totals
          = builder.object("scala.collection.immutable.Map$Map1",
                           {{"key1", key}, {"value1", builder.integer(total)}});
      return builder.object(message_name("RequestExecutors"),
                            {{"appId", builder.text(id)},
                             {"resourceProfileToTotalExecs", totals}});
    });
  };
  request(0, 3);
  CHECK(take() == Told{"true"});
  CHECK(applications().front().executor_limit == 3);
  // Those of other profiles cannot be had, which is logged.
  request(1, 5);
  CHECK(take() == Told{"true"});
  CHECK(applications().front().executor_limit == 0);
  id = "app-of-somebody-else";
  request(0, 3);
  CHECK(take() == Told{"false"});
}

TEST_CASE_METHOD(PeerFixture, "a refused application is told why",
                 "[gateway]") {
  services->users = SparkUsers::own;
  connect();
  say_recorded("$RegisterApplication");
  CHECK(take()
        == Told{R"(ApplicationRemoved {"message":"the kernel does not know )"
                R"(whose process registers"})"});
  CHECK(applications().empty());
}

TEST_CASE_METHOD(PeerFixture, "an application that is killed is told so",
                 "[gateway]") {
  say_recorded("$RegisterApplication");
  take();
  RequestKillApplication kill;
  kill.app_id = AppId{app_id()};
  ask<KillApplicationResponse>(master, kill);
  scheduler.run();
  auto told = take();
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("ApplicationRemoved") == 0);
}

TEST_CASE_METHOD(PeerFixture,
                 "each question gets an answer, also one of no use",
                 "[gateway]") {
  say(frame_with(spark::FrameType::rpc_request, 5, "Master",
                 std::string{spark::test::content_of(
                     spark::test::recorded("3.5.9", "$RequestMasterState$"))}));
  say(frame_with(spark::FrameType::rpc_request, 6, "Nobody",
                 std::string{spark::test::content_of(
                     spark::test::recorded("3.5.9", "CheckExistence"))}));
  auto told = take();
  REQUIRE(told.size() == 2);
  CHECK(told.at(0).find("failure: ") == 0);
  CHECK(told.at(1) == "failure: there is no endpoint Nobody here");
  CHECK(connection->closed_because.empty());
  CHECK(connection->frames_processed == 2);
}

TEST_CASE_METHOD(PeerFixture,
                 "who wants to authenticate is told that he cannot",
                 "[gateway]") {
  std::string frame;
  spark::append_frame(frame, {spark::FrameType::rpc_request, 1,
                              std::string("\xea\0\0\0\x0dsparkSaslUser", 18)});
  say(frame);
  CHECK(take()
        == Told{"failure: authentication is not supported by this master: set "
                "spark.authenticate to false"});
  CHECK(connection->closed_because
        == "it wants to authenticate, which is not supported");
}

TEST_CASE_METHOD(PeerFixture, "what cannot be read ends the connection",
                 "[gateway]") {
  auto frame = GENERATE(
      as<std::string>{}, std::string("\0\0\0\0\0\0\0\x0a\x63x", 10),
      frame_with(spark::FrameType::one_way_message, 0, "Master", "nonsense"),
      frame_with(spark::FrameType::rpc_request, 1, "Master",
                 std::string("\xac\xed\0\5\x73\x71\0\x7e\0\0", 10)));
  say(frame);
  CHECK_FALSE(connection->closed_because.empty());
}

TEST_CASE_METHOD(PeerFixture, "a master that does not lead is silent",
                 "[gateway]") {
  MasterServices beside;
  // Nobody ever lets it lead.
  beside.election = spawn([](LeaderElectionActor::pointer me)
                              -> LeaderElectionActor::behavior_type {
    return {[me](const Contend&) -> caf::result<bool> {
              return me->make_response_promise<bool>();
            },
            [me](const AwaitRevocation&) -> caf::result<std::string> {
              return me->make_response_promise<std::string>();
            },
            [](const Resign&) {}, [](const ShowThatItLeads&) {}};
  });
  ClusterConfig config;
  config.master_url = "stoker://m:2";
  start(config, std::move(beside));
  say_recorded("$RegisterApplication");
  advance(10s);
  CHECK(take().empty());
  CHECK(connection->closed_because.empty());
}

TEST_CASE_METHOD(PeerFixture,
                 "a driver that is called back follows the new leader",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  // The leader may die before it knows the version.
  pages_are_slow = GENERATE(false, true);
  MasterServices beside;
  beside.feed = spawn(stoker::feed, std::size_t{100});
  auto feed = beside.feed;
  ClusterConfig config;
  config.master_url = "stoker://m:2";
  start(config, std::move(beside));
  add_worker();
  say_recorded("$RegisterApplication");
  auto id = app_id();
  auto update = ask<FeedUpdate>(feed, FollowChanges{});
  REQUIRE(update);
  page_questions.clear();
  pages_are_slow = false;
  // What was its proxy ends without a word, as with its process.
  kill(peer);
  StoredTables tables{*update->snapshot};
  for (const auto& batch : update->batches)
    tables.apply(*batch);
  auto stored = tables.snapshot().applications.at(0);
  connection = std::make_shared<ConnectionInMemory>();
  peer = spawn(spark_peer, FrameConnectionPtr{connection},
               std::shared_ptr<const SparkPeerServices>{services},
               std::optional{SparkRecall{stored.id, stored.driver,
                                         stored.description, LeaderEpoch{9}}});
  CHECK(take() == Told{R"(MasterChanged {"masterWebUiUrl":""})"});
  say_new(spark::FrameType::one_way_message, [&](auto& builder) {
    return builder.object(message_name("MasterChangeAcknowledged"),
                          {{"appId", builder.text(id)}});
  });
  // It is told again what it has.
  auto told = take();
  REQUIRE(told.size() == 2);
  CHECK(told.at(0) == "RegisteredApplication {\"appId\":\"" + id + "\"}");
  CHECK(told.at(1).find(R"(ExecutorAdded {"cores":4,"id":0)") == 0);
  CHECK(applications().size() == 1);
  say_new(spark::FrameType::rpc_request, [&](auto& builder) {
    return builder.object(
        message_name("RequestExecutors"),
        {{"appId", builder.text(id)},
         {"resourceProfileToTotalExecs", builder.empty_map()}});
  });
  CHECK(take() == Told{"true"});
}
