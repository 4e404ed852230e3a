// How long a master takes to read what a worker of Spark sends most often, and to write
// it again: the codecs alone, in this process.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "spark/frame.hpp"
#include "spark/java_reader.hpp"
#include "spark/java_writer.hpp"
#include "spark/message_reader.hpp"
#include "spark/rpc_message.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"

namespace stoker::benchmark {

namespace {

/// A Heartbeat as a worker of Spark 3.5.9 has sent it: tests/spark/frames has it, too.
constexpr std::string_view heartbeat_hex
    = "000000000000046609000004590100093132372e302e302e3100001bbd0100093132"
      "372e302e302e3100001ba500064d6173746572aced0005737200306f72672e617061"
      "6368652e737061726b2e6465706c6f792e4465706c6f794d65737361676573244865"
      "61727462656174460f294ceacaa82b0200024c0006776f726b65727400254c6f7267"
      "2f6170616368652f737061726b2f7270632f527063456e64706f696e745265663b4c"
      "0008776f726b657249647400124c6a6176612f6c616e672f537472696e673b787073"
      "72002e6f72672e6170616368652e737061726b2e7270632e6e657474792e4e657474"
      "79527063456e64706f696e74526566a5200a581a041ff80300014c000f656e64706f"
      "696e74416464726573737400294c6f72672f6170616368652f737061726b2f727063"
      "2f527063456e64706f696e74416464726573733b787200236f72672e617061636865"
      "2e737061726b2e7270632e527063456e64706f696e74526566e1af4d9d287e8ebd02"
      "00014c001164656661756c7441736b54696d656f75747400214c6f72672f61706163"
      "68652f737061726b2f7270632f52706354696d656f75743b78707372001f6f72672e"
      "6170616368652e737061726b2e7270632e52706354696d656f7574b58449cefd9b50"
      "150200024c00086475726174696f6e74002a4c7363616c612f636f6e63757272656e"
      "742f6475726174696f6e2f46696e6974654475726174696f6e3b4c000b74696d656f"
      "757450726f7071007e00027870737200287363616c612e636f6e63757272656e742e"
      "6475726174696f6e2e46696e6974654475726174696f6ec03c652a84a40d8b020002"
      "4a00066c656e6774684c0004756e697474001f4c6a6176612f7574696c2f636f6e63"
      "757272656e742f54696d65556e69743b787200227363616c612e636f6e6375727265"
      "6e742e6475726174696f6e2e4475726174696f6e979d3074664a49f0020000787000"
      "000000000000787e72001d6a6176612e7574696c2e636f6e63757272656e742e5469"
      "6d65556e697400000000000000001200007872000e6a6176612e6c616e672e456e75"
      "6d000000000000000012000078707400075345434f4e4453740014737061726b2e72"
      "70632e61736b54696d656f7574737200276f72672e6170616368652e737061726b2e"
      "7270632e527063456e64706f696e744164647265737313396d2ce391455d0200034c"
      "00046e616d6571007e00024c000a727063416464726573737400214c6f72672f6170"
      "616368652f737061726b2f7270632f527063416464726573733b4c0008746f537472"
      "696e6771007e00027870740006576f726b65727372001f6f72672e6170616368652e"
      "737061726b2e7270632e52706341646472657373ec0a0950b5498bc8020002490004"
      "706f72744c0004686f737471007e0002787000001bbd7400093132372e302e302e31"
      "74001d737061726b3a2f2f576f726b6572403132372e302e302e313a373130317874"
      "0024776f726b65722d32303236313132313036313730322d3132372e302e302e312d"
      "37313031";

std::string heartbeat_frame() {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string result;
  for (std::size_t i = 0; i + 1 < heartbeat_hex.size(); i += 2)
    result += static_cast<char>(digit(heartbeat_hex[i]) * 16
                                + digit(heartbeat_hex[i + 1]));
  return result;
}

/// @throws std::runtime_error
template <class T>
T parsed(Result<T> x) {
  if (!x)
    throw std::runtime_error{x.error().message};
  return std::move(*x);
}

/// A frame, and all that was read from it.
struct ReadFrame {
  explicit ReadFrame(std::string_view received) {
    frame = parsed(spark::take_frame(received)).value();
    rpc = parsed(spark::read_rpc_message(frame.body));
    root = parsed(spark::read_java(graph, rpc.content));
    message = parsed(spark::read_message_to_master(graph, root));
  }

  spark::Frame frame;
  spark::RpcMessage rpc;
  spark::JavaGraph graph;
  spark::NodeId root = spark::null_node;
  spark::MessageToMaster message;
};

std::string written(const ReadFrame& from) {
  std::string content;
  content.reserve(from.rpc.content.size());
  spark::append_java(content, from.graph, from.root);
  auto rpc = from.rpc;
  rpc.content = content;
  std::string body;
  body.reserve(from.frame.body.size());
  spark::append_rpc_message(body, rpc);
  std::string result;
  spark::append_frame(
      result, {from.frame.type, from.frame.request_id, std::string_view{body}});
  return result;
}

} // namespace

void spark_frames(Extent extent) {
  auto count = extent.of(std::int64_t{1'000'000}, std::int64_t{1000});
  const auto frame = heartbeat_frame();
  ReadFrame once{frame};
  if (!std::holds_alternative<spark::Heartbeat>(once.message)
      || written(once) != frame)
    throw std::runtime_error{"the frame was not read as it is"};
  std::size_t bytes = 0;
  auto microseconds_each = [&](auto work) {
    auto begin = BenchClock::now();
    for (std::int64_t i = 0; i < count; ++i)
      bytes += work();
    return seconds_since(begin) * 1e6 / static_cast<double>(count);
  };
  auto read
      = microseconds_each([&] { return ReadFrame{frame}.graph.nodes.size(); });
  auto write = microseconds_each([&] { return written(once).size(); });
  if (bytes == 0)
    throw std::runtime_error{"nothing was measured"};
  Figure{"spark_frames"}
      .text("message", "Heartbeat")
      .count("bytes", static_cast<std::int64_t>(frame.size()))
      .number("read_us", read)
      .number("write_us", write)
      .print();
}

} // namespace stoker::benchmark
