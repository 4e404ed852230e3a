#include "executor/barrier_request.hpp"

#include <boost/json.hpp>

namespace stoker::executor {

namespace {

namespace json = boost::json;

/// Text by text: all of them may be large.
std::string line_of(const std::string& name,
                    const std::vector<std::string>& texts) {
  auto result = "{\"" + name + "\":[";
  const char* separator = "";
  for (const auto& x : texts) {
    result += separator;
    result += json::serialize(json::string_view{x});
    separator = ",";
  }
  return result + "]}\n";
}

} // namespace

Result<BarrierRequest> parse_barrier_request(std::string_view line) {
  boost::system::error_code error;
  auto parsed = json::parse({line.data(), line.size()}, error);
  if (error)
    return invalid("the request is no JSON in UTF-8: " + error.message());
  const auto* object = parsed.if_object();
  const auto* call = object ? object->if_contains("call") : nullptr;
  if (call == nullptr || !call->is_string())
    return invalid("the request needs \"call\": \"barrier\", \"all_gather\" or "
                   "\"tasks\"");
  auto name
      = std::string_view{call->get_string().data(), call->get_string().size()};
  const auto* message = object->if_contains("message");
  if (object->size() > (message ? 2U : 1U))
    return invalid("the request has a key that is neither \"call\" nor "
                   "\"message\"");
  BarrierRequest result;
  if (name == "all_gather") {
    if (message == nullptr || !message->is_string())
      return invalid("all_gather needs \"message\", a text");
    result.call = BarrierCall::ALL_GATHER;
    result.message.assign(message->get_string().data(),
                          message->get_string().size());
    if (result.message.size() > barrier_message_max)
      return invalid("the message has more than "
                     + std::to_string(barrier_message_max) + " bytes");
    return result;
  }
  if (message != nullptr)
    return invalid("only all_gather has a \"message\"");
  if (name == "tasks")
    result.kind = BarrierRequest::Kind::tasks;
  else if (name != "barrier")
    return invalid("there is no such call; there are \"barrier\", "
                   "\"all_gather\" and \"tasks\"");
  return result;
}

std::string messages_answer(const std::vector<std::string>& messages) {
  return line_of("messages", messages);
}

std::string tasks_answer(const std::vector<std::string>& hosts) {
  return line_of("tasks", hosts);
}

std::string error_answer(const std::string& why) {
  return json::serialize(json::object{{"error", why}}) + '\n';
}

} // namespace stoker::executor
