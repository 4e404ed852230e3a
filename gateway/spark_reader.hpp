#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "messages/result.hpp"
#include "spark/frame.hpp"
#include "spark/java_graph.hpp"
#include "spark/messages.hpp"

namespace stoker {

/// A message of Spark's that has been read.
struct SparkMessage {
  /// All of it.
  std::string bytes;

  /// In these bytes.
  spark::Frame frame;

  /// Whose it is, as "Master".
  std::string endpoint;
  spark::JavaGraph graph;
  spark::MessageToMaster content;
};

using SparkMessagePtr = std::shared_ptr<const SparkMessage>;

/// Reads a whole frame and the message in it. Fails as the readers of spark/.
Result<SparkMessagePtr> read_message(std::string bytes);

/// What is to be read.
struct ReadSparkMessage {
  std::string bytes;
};

/// What became of it.
struct SparkMessageRead {
  Result<SparkMessagePtr> message;
};

/// The SPARK READER reads large messages, one at a time and on a thread of its own: a large
/// message may be as many objects, and the threads of the master's actors are few.
using SparkReaderActor = caf::typed_actor<
    caf::replies_to<ReadSparkMessage>::with<SparkMessageRead>>;

/// A message with fewer bytes is read where it arrives.
inline constexpr std::size_t large_message_bytes = std::size_t{64} << 10U;

SparkReaderActor::behavior_type spark_reader(SparkReaderActor::pointer self);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ReadSparkMessage)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::SparkMessageRead)
