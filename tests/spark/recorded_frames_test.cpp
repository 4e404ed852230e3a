// What daemons of Spark 3.5.9 and 4.1.4 have sent to each other.

#include "spark/frame_json.hpp"
#include "spark/java_reader.hpp"
#include "spark/java_view.hpp"
#include "spark/java_writer.hpp"
#include "spark/rpc_message.hpp"
#include "tests/spark/recorded_frames.hpp"
#include "tests/support/catch.hpp"

namespace stoker::spark::test {

namespace {

namespace json = boost::json;

/// Text, in which members have an order, as they have in the stream.
std::string ordered(const json::value& x) {
  return json::serialize(x);
}

/// What was read, written again.
std::string written_again(const RecordedFrame& from) {
  auto frame = frame_of(from);
  JavaGraph graph;
  auto root = read_java(graph, content_of(from));
  REQUIRE(root);
  std::string content;
  append_java(content, graph, *root);
  std::string body;
  if (frame.type == FrameType::rpc_response) {
    body = content;
  } else {
    auto message = *read_rpc_message(frame.body);
    message.content = content;
    append_rpc_message(body, message);
  }
  frame.body = body;
  std::string result;
  append_frame(result, frame);
  return result;
}

} // namespace

TEST_CASE("all recorded frames are there") {
  CHECK(recorded_frames().size() == 169);
}

TEST_CASE("recorded frames say what was recorded of them") {
  for (const auto& recorded : recorded_frames()) {
    INFO(recorded.version << ' ' << recorded.file);
    auto shown = frame_json(frame_of(recorded));
    REQUIRE(shown);
    const auto& x = shown->as_object();
    CHECK(x.at("frame_type") == recorded.expected.at("kind"));
    CHECK(x.at("class") == recorded.expected.at("class"));
    CHECK(ordered(x.at("fields")) == ordered(recorded.expected.at("fields")));
    for (const auto* name :
         {"request_id", "sender_address", "receiver_address", "endpoint"}) {
      const auto* expected = recorded.expected.if_contains(name);
      const auto* found = x.if_contains(name);
      REQUIRE((expected == nullptr) == (found == nullptr));
      if (found != nullptr)
        CHECK(*found == *expected);
    }
  }
}

TEST_CASE("recorded frames have the class ids of their version") {
  for (const auto& recorded : recorded_frames()) {
    INFO(recorded.version << ' ' << recorded.file);
    JavaGraph graph;
    REQUIRE(read_java(graph, content_of(recorded)));
    json::object found;
    for (const auto& [name, id] : class_ids(graph))
      found[name] = id;
    CHECK(ordered(found) == ordered(recorded.expected.at("class_ids")));
  }
}

TEST_CASE("recorded frames are written as they were read") {
  for (const auto& recorded : recorded_frames()) {
    INFO(recorded.version << ' ' << recorded.file);
    // Not compared by Catch, which would print all of it.
    CHECK((written_again(recorded) == recorded.bytes));
  }
}

TEST_CASE("a part of a message can be written alone, and read into another") {
  for (const auto* version : {"3.5.9", "4.1.4"}) {
    const auto& from = recorded(version, "RegisterApplication");
    JavaGraph graph;
    auto root = read_java(graph, content_of(from));
    REQUIRE(root);
    auto part = JavaView{graph, *root}.reference("appDescription");
    std::string alone;
    append_java(alone, graph, part);
    // Behind what is there already.
    auto again = read_java(graph, alone);
    REQUIRE(again);
    CHECK(index_of(*again) > index_of(part));
    std::string twice;
    append_java(twice, graph, *again);
    CHECK((twice == alone));
    CHECK(JavaView{graph, *again}.class_name()
          == "org.apache.spark.deploy.ApplicationDescription");
  }
}

} // namespace stoker::spark::test
