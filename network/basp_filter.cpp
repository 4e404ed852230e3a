#include "network/basp_filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <caf/binary_deserializer.hpp>

namespace stoker {

namespace {

namespace basp = caf::io::basp;

/// Of messages that are not for actors: names of nodes, and why an actor ended.
constexpr std::uint32_t small_message_max = 4096;

Error refused(const std::string& why) {
  return {Errc::invalid_request, "not allowed over this connection: " + why};
}

template <class... Ts>
bool read(std::span<const char> bytes, Ts&... values) {
  caf::binary_deserializer source{nullptr, bytes.data(), bytes.size()};
  return !source(values...);
}

} // namespace

BaspFilter::BaspFilter(BaspRules rules) : rules_(std::move(rules)) {
}

Status BaspFilter::filter(std::span<const char> bytes, std::vector<char>& out) {
  while (!bytes.empty()) {
    if (!missing_) {
      auto count = std::min(bytes.size(), basp::header_size - gathered_.size());
      gathered_.insert(gathered_.end(), bytes.begin(),
                       bytes.begin() + static_cast<std::ptrdiff_t>(count));
      bytes = bytes.subspan(count);
      if (gathered_.size() < basp::header_size)
        return {};
      if (auto good = begin_frame(out); !good)
        return good;
      continue;
    }
    if (payload_ == Payload::passed && *missing_ == header_.payload_len)
      if (auto good = check_first_byte(bytes.front()); !good)
        return good;
    auto count = std::min<std::size_t>(bytes.size(), *missing_);
    if (payload_ != Payload::dropped) {
      auto& to = payload_ == Payload::passed ? out : gathered_;
      to.insert(to.end(), bytes.begin(),
                bytes.begin() + static_cast<std::ptrdiff_t>(count));
    }
    bytes = bytes.subspan(count);
    *missing_ -= static_cast<std::uint32_t>(count);
    if (*missing_ > 0)
      return {};
    missing_.reset();
    if (payload_ != Payload::gathered)
      continue;
    if (auto good = end_gathered(); !good)
      return good;
    out.insert(out.end(), gathered_.begin(), gathered_.end());
    gathered_.clear();
  }
  return {};
}

/// A header is complete.
Status BaspFilter::begin_frame(std::vector<char>& out) {
  using basp::message_type;
  if (!read(gathered_, header_))
    return refused("a header that cannot be read");
  auto length = header_.payload_len;
  auto is_first = !peer_;
  auto is_for_another = header_.dest_actor != rules_.actor;
  auto limit = small_message_max;
  payload_ = Payload::gathered;
  switch (header_.operation) {
  case message_type::client_handshake:
    break;
  case message_type::direct_message:
    limit = rules_.message_max;
    // Who says something has a name: what has none comes from this process.
    payload_ = header_.has(basp::header::named_receiver_flag) || is_for_another
                       || header_.source_actor == 0
                   ? Payload::dropped
                   : Payload::passed;
    break;
  case message_type::monitor_message:
    if (is_for_another)
      payload_ = Payload::dropped;
    break;
  case message_type::down_message:
    break;
  case message_type::heartbeat:
    limit = 0;
    break;
  default:
    return refused("a message of kind "
                   + std::to_string(static_cast<int>(header_.operation)));
  }
  if (is_first && header_.operation != message_type::client_handshake)
    return refused("a message before the handshake");
  if (length > limit)
    return refused("a message of " + std::to_string(length) + " bytes");
  if (length == 0 && header_.operation != message_type::heartbeat)
    return refused("a message without content");
  if (length > 0) {
    missing_ = length;
    if (payload_ == Payload::gathered)
      return {};
  }
  if (payload_ != Payload::dropped)
    out.insert(out.end(), gathered_.begin(), gathered_.end());
  gathered_.clear();
  return {};
}

/// The payload of an actor's message begins with who else it is to pass, of whom
/// there may be none.
Status BaspFilter::check_first_byte(char first) {
  return first == 0 ? Status{} : refused("a message that is to be passed on");
}

Status BaspFilter::end_gathered() {
  return header_.operation == basp::message_type::client_handshake
             ? read_handshake()
             : check_node_message();
}

Status BaspFilter::read_handshake() {
  caf::node_id node;
  if (!read(std::span{gathered_}.subspan(basp::header_size), node) || !node)
    return refused("a handshake without the name of a node");
  // CAF says it again when it has heard our own.
  if (peer_)
    return node == peer_ ? Status{}
                         : refused("a handshake in another node's name");
  if (node == rules_.node)
    return refused("a node of this process's name");
  if (rules_.introduce)
    if (auto good = rules_.introduce(node); !good)
      return good;
  peer_ = std::move(node);
  return {};
}

Status BaspFilter::check_node_message() const {
  caf::node_id source;
  caf::node_id destination;
  if (!read(std::span{gathered_}.subspan(basp::header_size), source,
            destination))
    return refused("names of nodes that cannot be read");
  if (source != peer_)
    return refused("a message in another node's name");
  if (destination != rules_.node)
    return refused("a message to another node");
  return {};
}

} // namespace stoker
