// What a daemon of Spark sends: a frame, the message in it, its objects.

#include <string>

#include "spark/frame.hpp"
#include "spark/frame_json.hpp"
#include "spark/java_reader.hpp"
#include "spark/java_view.hpp"
#include "spark/java_writer.hpp"
#include "spark/message_reader.hpp"
#include "spark/rpc_message.hpp"
#include "spark/wire_error.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace stoker;

namespace {

/// What is read is written as it was, and what is written can be read.
void read_content(std::string_view content) {
  spark::JavaGraph graph;
  auto root = spark::read_java(graph, content);
  if (!root)
    return;
  std::string again;
  spark::append_java(again, graph, *root);
  test::require(again == content);
  (void)spark::class_ids(graph);
  (void)spark::read_message_to_master(graph, *root);
  // A part of it may be too deep to be written, but what is written says the same.
  std::string part;
  auto last = static_cast<spark::NodeId>(graph.nodes.size() - 1);
  if (graph.at(last).kind == spark::JavaKind::block)
    return;
  try {
    spark::append_java(part, graph, last);
  } catch (const spark::WireError&) {
    return;
  }
  spark::JavaGraph other;
  spark::JavaLimits limits;
  limits.depth_max = 2000;
  test::require(static_cast<bool>(spark::read_java(other, part, limits)));
}

void read_frame(const spark::Frame& frame) {
  (void)spark::frame_json(frame);
  if (frame.type == spark::FrameType::rpc_failure)
    return;
  if (frame.type == spark::FrameType::rpc_response)
    return read_content(frame.body);
  auto message = spark::read_rpc_message(frame.body);
  if (!message)
    return;
  // Names can be written in several ways: after the first time they stay.
  std::string written;
  spark::append_rpc_message(written, *message);
  auto again = spark::read_rpc_message(written);
  test::require(again && *again == *message);
  read_content(message->content);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  auto received = test::text_of(data, size);
  for (;;) {
    auto before = received;
    auto frame = spark::take_frame(received);
    if (!frame || !*frame)
      break;
    std::string written;
    spark::append_frame(written, **frame);
    test::require(written == before.substr(0, before.size() - received.size()));
    read_frame(**frame);
  }
  return 0;
}
