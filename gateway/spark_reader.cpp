#include "gateway/spark_reader.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "spark/java_reader.hpp"
#include "spark/message_reader.hpp"
#include "spark/rpc_message.hpp"

namespace stoker {

Result<SparkMessagePtr> read_message(std::string bytes) {
  auto result = std::make_shared<SparkMessage>();
  result->bytes = std::move(bytes);
  // What is read stays in these bytes.
  std::string_view rest{result->bytes};
  auto frame = spark::take_frame(rest);
  if (!frame)
    return std::move(frame).error();
  if (!*frame)
    return invalid("it is not complete");
  result->frame = **frame;
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

SparkReaderActor::behavior_type spark_reader(SparkReaderActor::pointer) {
  return {
      [](ReadSparkMessage& x) -> SparkMessageRead {
        try {
          return {read_message(std::move(x.bytes))};
        } catch (const std::exception& error) {
          // As when there is no memory for it: others may have less.
          return {Error{Errc::failed, error.what()}};
        }
      },
  };
}

} // namespace stoker
