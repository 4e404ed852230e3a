#include "spark/frame_json.hpp"

#include <optional>
#include <string>

#include <boost/json.hpp>

#include "messages/printable.hpp"
#include "spark/java_json.hpp"
#include "spark/java_reader.hpp"
#include "spark/java_text.hpp"
#include "spark/java_view.hpp"
#include "spark/rpc_message.hpp"
#include "spark/scala_values.hpp"
#include "spark/wire_error.hpp"

namespace stoker::spark {

namespace {

namespace json = boost::json;

json::value address_json(const std::optional<RpcAddress>& x) {
  if (!x)
    return nullptr;
  return json::array{json::value(x->host), x->port};
}

std::string class_of_content(const JavaGraph& graph, NodeId root) {
  if (root == null_node)
    return "null";
  if (graph.at(root).kind == JavaKind::text)
    return "java.lang.String";
  auto module = ScalaReader{graph}.module_name(root);
  return to_utf8(module.empty() ? JavaView{graph, root}.class_name() : module);
}

Status add_content(json::object& out, std::string_view content) {
  JavaGraph graph;
  auto root = read_java(graph, content);
  if (!root)
    return root.error();
  out["class"] = class_of_content(graph, *root);
  json::object ids;
  for (const auto& [name, id] : class_ids(graph))
    ids[to_utf8(name)] = id;
  out["suids"] = std::move(ids);
  try {
    out["fields"] = java_json(graph, *root);
  } catch (const WireError& e) {
    return Error{Errc::corrupt, e.what()};
  }
  return {};
}

} // namespace

Result<json::value> frame_json(const Frame& frame) {
  json::object result;
  result["frame_type"] = to_string(frame.type);
  if (frame.type != FrameType::one_way_message)
    result["request_id"] = frame.request_id;
  if (frame.type == FrameType::rpc_failure) {
    result["error"] = as_utf8(frame.body);
    return json::value(std::move(result));
  }
  auto content = frame.body;
  if (frame.type != FrameType::rpc_response) {
    auto message = read_rpc_message(frame.body);
    if (!message)
      return message.error();
    result["sender_address"] = address_json(message->sender);
    result["receiver_address"] = address_json(message->receiver);
    result["endpoint"] = message->endpoint;
    content = message->content;
  }
  if (auto added = add_content(result, content); !added)
    return added.error();
  return json::value(std::move(result));
}

} // namespace stoker::spark
