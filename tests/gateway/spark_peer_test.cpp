// Drivers of Spark between a real master and a connection that is kept in memory. What
// they say was recorded, or is written as their version writes it.

#include "gateway/spark_peer.hpp"

#include <unistd.h>

#include "actors/feed.hpp"
#include "tests/gateway/peer_fixture.hpp"
#include "tests/support/contains.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

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

TEST_CASE_METHOD(PeerFixture, "a driver that says goodbye has finished",
                 "[gateway]") {
  say_recorded("$RegisterApplication");
  auto id = app_id();
  say_new(spark::FrameType::one_way_message, [&](auto& builder) {
    return builder.object(deploy_message("UnregisterApplication"),
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
      return builder.object(deploy_message("RequestExecutors"),
                            {{"appId", builder.text(id)},
                             {"resourceProfileToTotalExecs", totals}});
    });
  };
  request(0, 3);
  CHECK(take() == Told{"true"});
  CHECK(applications().front().executor_limit == 3);
  request(0, 0);
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

TEST_CASE_METHOD(PeerFixture,
                 "a driver is told why its application ends when its executors "
                 "fail",
                 "[gateway]") {
  add_worker();
  say_recorded("$RegisterApplication");
  take();
  AppId id{app_id()};
  for (int executor = 0; executor < 10; ++executor)
    CHECK(*ask<bool>(master,
                     ExecutorStateChanged{id, executor, ExecutorState::EXITED,
                                          "Command exited with code 1", 1}));
  auto told = take();
  REQUIRE_FALSE(told.empty());
  CHECK(told.back().find("ApplicationRemoved") == 0);
  CHECK(told.back().find("10 executors in a row failed, the last: Command "
                         "exited with code 1")
        != std::string::npos);
  CHECK(applications().front().state == ApplicationState::FAILED);
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
  beside.election = spawn(never_elected);
  ClusterConfig config;
  config.master_url = "stoker://m:2";
  start(config, std::move(beside));
  say_recorded("$RegisterApplication");
  advance(10s);
  CHECK(take().empty());
  CHECK(connection->closed_because.empty());
}

TEST_CASE_METHOD(PeerFixture,
                 "a submitter is told why when the tenants file does not know "
                 "its user",
                 "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  ClusterConfig config;
  config.master_url = "stoker://m:2";
  config.tenants.emplace().companies.emplace_back().name = "first";
  start(config, {});
  say_recorded("RequestSubmitDriver");
  auto told = take();
  REQUIRE(told.size() == 1);
  INFO(told.front());
  CHECK(told.front().starts_with("SubmitDriverResponse "));
  CHECK(contains(told.front(), R"("success":false)"));
  CHECK(contains(told.front(), "is not in the tenants file"));
  auto state = ask<MasterStateResponse>(master, RequestMasterState{});
  CHECK(state->active_drivers.empty());
  CHECK(state->completed_drivers.empty());
}

TEST_CASE_METHOD(PeerFixture,
                 "a peer is told of drivers that its user may know of",
                 "[gateway]") {
  constexpr uid_t nobody = 65534;
  RequestSubmitDriver x;
  x.driver_description.name = "secret";
  x.driver_description.user = "ann";
  x.driver_description.command.arguments = {"true"};
  auto id = ask<SubmitDriverResponse>(master, x)->driver_id.value();
  services->users = SparkUsers::local;
  auto tell_status = [&](std::optional<uid_t> user) {
    connect();
    connection->owner_id = user;
    say_new(spark::FrameType::rpc_request, [&](auto& builder) {
      return builder.object(deploy_message("RequestDriverStatus"),
                            {{"driverId", builder.text(id.value)}});
    });
    auto told = take();
    REQUIRE(told.size() == 1);
    return told.front();
  };
  CHECK(tell_status(nobody).find(R"("found":false)") != std::string::npos);
  CHECK(tell_status(std::nullopt).find(R"("found":false)")
        != std::string::npos);
  CHECK(tell_status(0).find(R"("found":true)") != std::string::npos);
}

TEST_CASE_METHOD(PeerFixture, "a registered driver is accepted", "[gateway]") {
  CHECK_FALSE(connection->is_accepted);
  say_recorded("CheckExistence");
  CHECK_FALSE(connection->is_accepted);
  say_recorded("$RegisterApplication");
  CHECK(connection->is_accepted);
}

TEST_CASE_METHOD(PeerFixture, "large messages are read elsewhere, and in order",
                 "[gateway]") {
  services->reader = spawn(spark_reader);
  connect();
  say_recorded("$RegisterApplication");
  auto id = app_id();
  take();
  // Together larger than what a peer reads itself.
  const std::string part(large_message_bytes / 2, 'x');
  auto frame_about = [&](const std::string& endpoint, const std::string& app) {
    spark::JavaBuilder builder{table_of(version)};
    return frame_with(
        spark::FrameType::rpc_request, 77, endpoint,
        builder.write(builder.object(
            deploy_message("RequestExecutors"),
            {{"appId", builder.text(app)},
             {"resourceProfileToTotalExecs", builder.empty_map()}})));
  };
  caf::anon_send(peer, SparkFrame{frame_about(part, part)});
  caf::anon_send(peer, SparkFrame{frame_about("Master", id)});
  scheduler.run();
  auto told = take();
  REQUIRE(told.size() == 2);
  CHECK(told.at(0).find("failure: there is no endpoint xxx") == 0);
  CHECK(told.at(1) == "true");
  CHECK(connection->frames_processed == 3);
  kill(services->reader);
  say(frame_about(part, part));
  CHECK_FALSE(connection->closed_because.empty());
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
  register_with_page();
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
  peer = spawn(
      spark_peer, FrameConnectionPtr{connection}, heartbeat,
      std::shared_ptr<const SparkPeerServices>{services},
      std::optional<SparkRecall>{SparkDriverRecall{
          stored.id, stored.driver, stored.description, LeaderEpoch{9}}});
  CHECK(take() == Told{R"(MasterChanged {"masterWebUiUrl":""})"});
  say_new(spark::FrameType::one_way_message, [&](auto& builder) {
    return builder.object(deploy_message("MasterChangeAcknowledged"),
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
        deploy_message("RequestExecutors"),
        {{"appId", builder.text(id)},
         {"resourceProfileToTotalExecs", builder.empty_map()}});
  });
  CHECK(take() == Told{"true"});
}

TEST_CASE_METHOD(
    PeerFixture,
    "a driver is told at once when it asks for executors of another "
    "resource profile",
    "[gateway]") {
  version = GENERATE("3.5.9", "4.1.4");
  add_worker();
  say_recorded("$RegisterApplication");
  take();
  SECTION("not of the default one") {
    ask_for_executors_of(0);
    CHECK(take() == Told{"true"});
    CHECK(applications().front().state == ApplicationState::RUNNING);
  }
  SECTION("of another one") {
    ask_for_executors_of(1);
    auto told = take();
    REQUIRE(told.size() == 2);
    CHECK(told.at(0) == "false");
    // Its stages fail with this reason.
    CHECK(told.at(1).starts_with("ApplicationRemoved"));
    CHECK(told.at(1).find("resource profile 1 (cores 1, memory 600")
          != std::string::npos);
    auto app = applications().front();
    CHECK(app.state == ApplicationState::FAILED);
    REQUIRE(app.message);
    CHECK(app.message->find("resource profile 1") != std::string::npos);
    auto explained
        = ask<ExplanationResponse>(master, RequestExplanation{app.id, {}});
    REQUIRE(explained);
    CHECK(explained->reasons.front().find("resource profile 1")
          != std::string::npos);
  }
}
