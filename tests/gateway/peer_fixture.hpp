#pragma once

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
#include "spark/java_writer.hpp"
#include "spark/rpc_message.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/never_elected.hpp"

namespace stoker::test {

using namespace std::chrono_literals;

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
  void accept() override {
    is_accepted = true;
  }
  [[nodiscard]] std::optional<uid_t> owner() const override {
    return owner_id;
  }

  std::deque<std::string> sent;
  int frames_processed = 0;
  std::string closed_because;
  bool is_accepted = false;
  std::optional<uid_t> owner_id;

private:
  SocketAddress here_{"127.0.0.1", 7077};
  SocketAddress peer_{"127.0.0.1", 50'000};
};

inline const spark::VersionTable& table_of(const std::string& version) {
  for (const auto& x : spark::version_tables())
    if (x.version() == version)
      return x;
  FAIL("no table of " << version);
  return spark::version_tables().front();
}

inline std::string deploy_message(const std::string& name) {
  return "org.apache.spark.deploy.DeployMessages$" + name;
}

inline std::string frame_with(spark::FrameType type, std::int64_t request,
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
inline std::string read_told(const std::string& bytes) {
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
    CHECK((message->endpoint == "AppClient" || message->endpoint == "Worker"));
    body = message->content;
  }
  spark::JavaGraph graph;
  auto root = spark::read_java(graph, body);
  REQUIRE(root);
  auto value = java_json(graph, *root);
  auto* object = value.if_object();
  if (object == nullptr)
    return boost::json::serialize(value);
  // There is one thing of this kind.
  if (auto* module = object->if_contains("module"))
    object->emplace("@", *module);
  std::string name{object->at("@").as_string()};
  object->stable_erase("master");
  object->stable_erase("@");
  if (name.ends_with('$'))
    name.pop_back();
  return name.substr(name.rfind('$') + 1) + ' ' + boost::json::serialize(value);
}

struct PeerFixture : DeterministicSystem {
  MasterActor master;
  WorkerRecordPtr worker_record = std::make_shared<WorkerRecord>();
  std::shared_ptr<ConnectionInMemory> connection
      = std::make_shared<ConnectionInMemory>();

  /// That of the peer.
  std::shared_ptr<KnownHeartbeat> heartbeat;
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
    services->ask_version_of_worker = services->ask_version;
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
    heartbeat = std::make_shared<KnownHeartbeat>();
    peer = spawn(spark_peer, FrameConnectionPtr{connection}, heartbeat,
                 std::shared_ptr<const SparkPeerServices>{services},
                 std::optional<SparkRecall>{});
  }

  void add_worker(const std::string& name = "w1") {
    auto worker = spawn(worker_recorder, worker_record);
    RegisterWorker x{WorkerId{name}, EndpointId{name}, "h1", 0, 4, 4096};
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

  /// The recorded driver had no page: the address is its only empty text.
  void register_with_page() {
    register_with_page_of(version);
  }
  void register_with_page_of(const std::string& recorded_version) {
    spark::JavaGraph graph;
    auto root = spark::read_java(
        graph, spark::test::content_of(spark::test::recorded(
                   recorded_version, "$RegisterApplication")));
    REQUIRE(root);
    for (auto& node : graph.nodes)
      if (node.kind == spark::JavaKind::text && node.text.empty())
        node.text = "http://ann-laptop:4040";
    std::string content;
    spark::append_java(content, graph, *root);
    say(frame_with(spark::FrameType::one_way_message, 0, "Master", content));
  }

  /// What was recorded of a driver that asks for an executor, of another profile here.
  void ask_for_executors_of(int profile) {
    spark::JavaGraph graph;
    auto root
        = spark::read_java(graph, spark::test::content_of(spark::test::recorded(
                                      version, "$RequestExecutors")));
    REQUIRE(root);
    auto id = app_id();
    for (auto& node : graph.nodes) {
      if (node.kind == spark::JavaKind::text && node.text.starts_with("app-"))
        node.text = id;
      if (node.kind != spark::JavaKind::object
          || graph.at(node.type).text
                 != "org.apache.spark.resource.ResourceProfile")
        continue;
      const auto& type = graph.at(node.type);
      for (std::uint32_t i = 0; i < type.count; ++i)
        if (graph.fields.at(type.first + i).name == "_id")
          graph.slots.at(node.first + i).bits = profile;
    }
    std::string content;
    spark::append_java(content, graph, *root);
    say(frame_with(spark::FrameType::rpc_request, 78, "Master", content));
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
      result.push_back(read_told(frame));
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

} // namespace stoker::test
