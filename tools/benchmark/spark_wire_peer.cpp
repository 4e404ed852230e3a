#include "tools/benchmark/spark_wire_peer.hpp"

#include <stdexcept>
#include <utility>

#include "tools/benchmark/spark_wire_orders.hpp"

namespace stoker::benchmark {

namespace {

/// All of 127.0.0.0/8 is this machine: others than 127.0.0.1 stand for others.
std::string host_of(int index) {
  constexpr int hosts_each = 250;
  auto rest = index / hosts_each;
  return "127." + std::to_string(1 + rest / hosts_each) + '.'
         + std::to_string(rest % hosts_each) + '.'
         + std::to_string(1 + index % hosts_each);
}

WireCount& count_of(WireTally& tally, WireQuestion x) {
  switch (x) {
  case WireQuestion::existence:
    return tally.masters_verified;
  case WireQuestion::status:
    return tally.statuses;
  case WireQuestion::running_report:
    return tally.running_reports;
  case WireQuestion::killed_report:
    return tally.killed_reports;
  }
  throw std::runtime_error("a master answers what nobody has asked");
}

} // namespace

WirePeer::WirePeer(WireContext& context, int index)
    : context_(context), address_{host_of(index), context.peer_port},
      connection_(context.loop, [this](const auto& x) { receive(x); }) {
}

void WirePeer::connect() {
  connection_.connect(address_.host, context_.writer.master());
  tell(context_.writer.asked(context_.next_request(WireQuestion::existence),
                             address_, "endpoint-verifier",
                             context_.writer.check_existence()));
}

void WirePeer::listen() {
  listener_ = std::make_unique<WireListener>(
      context_.loop, address_,
      [this](auto socket) { connection_.adopt(std::move(socket)); });
}

void WirePeer::ask_status() {
  tell(context_.writer.asked(context_.next_request(WireQuestion::status),
                             address_, "Master",
                             context_.writer.request_driver_status()));
}

void WirePeer::receive(const spark::Frame& frame) {
  switch (frame.type) {
  case spark::FrameType::rpc_response:
    return count_of(context_.tally, WireContext::question_of(frame.request_id))
        .add();
  case spark::FrameType::rpc_failure:
    throw std::runtime_error("a master refuses: " + std::string{frame.body});
  case spark::FrameType::one_way_message:
    break;
  case spark::FrameType::rpc_request:
    throw std::runtime_error("a master asks what no fake can answer");
  }
  auto message = spark::read_rpc_message(frame.body);
  if (!message)
    throw std::runtime_error("a master's message cannot be read: "
                             + message.error().message);
  hear(wire_message_name(message->content), message->content);
}

} // namespace stoker::benchmark
