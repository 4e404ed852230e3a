#include "gateway/spark_reader.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "spark/java_reader.hpp"
#include "spark/message_reader.hpp"
#include "spark/rpc_message.hpp"

namespace stoker {

Result<SparkMessagePtr> read_message(std::string bytes,
                                     const spark::Frame& frame) {
  auto result = std::make_shared<SparkMessage>();
  auto begin = frame.body.data() - bytes.data();
  // Moving a short text moves its bytes.
  result->bytes = std::move(bytes);
  result->frame = frame;
  result->frame.body = std::string_view{result->bytes}.substr(
      static_cast<std::size_t>(begin), frame.body.size());
  auto message = spark::read_rpc_message(result->frame.body);
  if (!message)
    return std::move(message).error();
  auto root = spark::read_java(result->graph, message->content);
  if (!root)
    return std::move(root).error();
  auto content = spark::read_message_to_master(result->graph, *root);
  if (!content)
    return std::move(content).error();
  result->endpoint = std::move(message->endpoint);
  result->content = *std::move(content);
  return SparkMessagePtr{std::move(result)};
}

namespace {

Result<SparkMessagePtr> read_whole(const std::string& bytes) {
  std::string_view rest{bytes};
  auto frame = spark::take_frame(rest);
  if (!frame)
    return std::move(frame).error();
  if (!*frame)
    return invalid("it is not complete");
  return read_message(bytes, **frame);
}

} // namespace

SparkReaderActor::behavior_type spark_reader(SparkReaderActor::pointer) {
  return {
      [](ReadSparkMessage& x) -> SparkMessageRead {
        try {
          return {read_whole(x.bytes)};
        } catch (const std::exception& error) {
          // As when there is no memory for it: others may have less.
          return {Error{Errc::failed, error.what()}};
        }
      },
  };
}

} // namespace stoker
