#include "tools/benchmark/spark_wire_orders.hpp"

#include <cstddef>
#include <stdexcept>

#include "spark/field_reader.hpp"
#include "spark/java_reader.hpp"
#include "spark/messages.hpp"
#include "spark/scala_values.hpp"

namespace stoker::benchmark {

namespace {

spark::NodeId read_into(spark::JavaGraph& graph, std::string_view content) {
  auto root = spark::read_java(graph, content);
  if (!root)
    throw std::runtime_error("a master's message cannot be read: "
                             + root.error().message);
  return *root;
}

/// An object that a stream holds, and the graph that it stands in.
class ReadWireMessage {
public:
  explicit ReadWireMessage(std::string_view content)
      : root_(read_into(graph_, content)), values_(graph_) {
  }

  spark::FieldReader fields() {
    return {values_, root_, "a master's message"};
  }

private:
  spark::JavaGraph graph_;
  spark::NodeId root_;
  // Last: how much may be read depends on what the graph holds.
  spark::ScalaReader values_;
};

} // namespace

std::string_view wire_message_name(std::string_view content) {
  constexpr std::string_view deployment
      = "org.apache.spark.deploy.DeployMessages$";
  // Magic, version, an object, its class: then the length of the name.
  constexpr std::size_t length_at = 6;
  constexpr std::size_t name_at = length_at + 2;
  if (content.size() < name_at)
    return {};
  auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[i]));
  };
  auto result
      = content.substr(name_at, byte(length_at) * 256 + byte(length_at + 1));
  if (result.starts_with(deployment))
    result.remove_prefix(deployment.size());
  return result;
}

WireExecutor read_executor_order(std::string_view content) {
  ReadWireMessage message{content};
  auto fields = message.fields();
  WireExecutor result{fields.text("appId"), fields.number("execId"), 0, 0};
  if (fields.has("cores")) {
    result.cores = fields.number("cores");
    result.memory_mb = fields.number("memory");
  }
  return result;
}

std::string read_app_id(std::string_view content) {
  ReadWireMessage message{content};
  return message.fields().text("appId");
}

bool says_running(std::string_view content) {
  ReadWireMessage message{content};
  return message.fields().enumerator("state",
                                     spark::ExecutorState::decommissioned)
         == spark::ExecutorState::running;
}

} // namespace stoker::benchmark
