#include "network/basp_filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <caf/binary_deserializer.hpp>
#include <caf/message_id.hpp>

#include "network/basp_content.hpp"

namespace stoker {

namespace {

namespace basp = caf::io::basp;

/// Of messages that are not for actors: names of nodes, and why an actor ended.
constexpr std::uint32_t small_message_max = 4096;

/// Memory for a large message is not kept for the next one.
constexpr std::size_t kept_capacity_max = std::size_t{64} << 10U;

/// Where the beginning of a message ends at the latest.
constexpr std::size_t beginning_end
    = basp::header_size + 1 + basp_beginning_max;

/// Where in an actor's message an error is, behind "@<>+@error".
constexpr std::size_t error_at = 14;

Error refused(const std::string& why) {
  return {Errc::invalid_request, "not allowed over this connection: " + why};
}

template <class... Ts>
bool read(std::span<const char> bytes, Ts&... values) {
  caf::binary_deserializer source{nullptr, bytes.data(), bytes.size()};
  return !source(values...);
}

} // namespace

BaspFilter::BaspFilter(BaspRules rules)
    : rules_(std::move(rules)), questions_(rules_.actor) {
}

void BaspFilter::said(std::span<const char> bytes) {
  questions_.said(bytes);
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
    auto count = std::min<std::size_t>(bytes.size(), *missing_);
    if (payload_ == Payload::begun)
      count = std::min(count, beginning_end - gathered_.size());
    take(bytes.first(count));
    bytes = bytes.subspan(count);
    *missing_ -= static_cast<std::uint32_t>(count);
    if (payload_ == Payload::begun)
      if (auto good = judge_beginning(); !good)
        return good;
    if (*missing_ > 0)
      continue;
    missing_.reset();
    if (payload_ == Payload::checked)
      if (auto good = check_complete(); !good)
        return good;
    out.insert(out.end(), gathered_.begin(), gathered_.end());
    forget_gathered();
  }
  return {};
}

void BaspFilter::take(std::span<const char> bytes) {
  if (payload_ != Payload::dropped)
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
}

void BaspFilter::forget_gathered() {
  if (gathered_.capacity() > kept_capacity_max)
    gathered_ = std::vector<char>{};
  gathered_.clear();
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
  payload_ = Payload::checked;
  switch (header_.operation) {
  case message_type::client_handshake:
    break;
  case message_type::direct_message:
    limit = rules_.message_max;
    // Who says something has a name: what has none comes from this process.
    payload_ = header_.has(basp::header::named_receiver_flag) || is_for_another
                       || header_.source_actor == 0
                   ? Payload::dropped
                   : Payload::begun;
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
    if (payload_ != Payload::dropped)
      return {};
  } else {
    out.insert(out.end(), gathered_.begin(), gathered_.end());
  }
  gathered_.clear();
  return {};
}

/// The payload of an actor's message begins with who else it is to pass, of whom
/// there may be none, and with the names of its types.
Status BaspFilter::judge_beginning() {
  auto payload = std::span{gathered_}.subspan(basp::header_size);
  if (payload.front() != 0)
    return refused("a message that is to be passed on");
  caf::message_id id{header_.operation_data};
  if (id.is_stream_message())
    return refused("a message of a stream");
  auto content = basp_content(payload.subspan(1));
  if (!content && *missing_ > 0 && gathered_.size() < beginning_end)
    return {};
  if (content.value_or(BaspContent::other) == BaspContent::other)
    return refused("a message that is not one of Stoker's");
  // An answer may come too late.
  auto is_asked
      = id.is_response() ? questions_.take(id) : *content == BaspContent::own;
  if (!is_asked) {
    payload_ = Payload::dropped;
    gathered_.clear();
    return {};
  }
  if (auto good = add_speaker(); !good)
    return good;
  if (*content == BaspContent::error) {
    if (header_.payload_len > small_message_max)
      return refused("an error of " + std::to_string(header_.payload_len)
                     + " bytes");
    payload_ = Payload::checked;
    return {};
  }
  payload_ = Payload::passed;
  return {};
}

Status BaspFilter::add_speaker() {
  speakers_.insert(header_.source_actor);
  return speakers_.size() <= rules_.speakers_max
             ? Status{}
             : refused("messages of more than "
                       + std::to_string(rules_.speakers_max) + " actors");
}

Status BaspFilter::check_complete() {
  switch (header_.operation) {
  case basp::message_type::client_handshake:
    return read_handshake();
  case basp::message_type::direct_message:
    return is_plain_error(
               std::span{gathered_}.subspan(basp::header_size + error_at))
               ? Status{}
               : refused("an error that is not one of Stoker's");
  default:
    return check_node_message();
  }
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

Status BaspFilter::check_node_message() {
  caf::node_id source;
  caf::node_id destination;
  auto rest = std::span<const char>{gathered_}.subspan(basp::header_size);
  caf::binary_deserializer names{nullptr, rest.data(), rest.size()};
  if (names(source, destination))
    return refused("names of nodes that cannot be read");
  if (source != peer_)
    return refused("a message in another node's name");
  if (destination != rules_.node)
    return refused("a message to another node");
  if (header_.operation != basp::message_type::down_message)
    return {};
  if (!is_plain_error(rest.last(names.remaining())))
    return refused("an error that is not one of Stoker's");
  speakers_.erase(header_.source_actor);
  return {};
}

} // namespace stoker
