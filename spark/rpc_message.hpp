#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace stoker::spark {

/// Where a Spark process listens (RpcAddress).
struct RpcAddress {
  std::string host;
  std::int32_t port = 0;

  friend bool operator==(const RpcAddress&, const RpcAddress&) = default;
};

/// The body of a request or a one-way message (Spark's RequestMessage). Answers have
/// none of this: their body is the content alone.
struct RpcMessage {
  /// Where the sender listens, which is not where its connection comes from. Executors
  /// do not listen.
  std::optional<RpcAddress> sender;

  /// What the sender thinks that the receiver is called.
  std::optional<RpcAddress> receiver;

  /// For whom it is, as "Master" or "endpoint-verifier".
  std::string endpoint;

  /// A Java serialization stream, in the bytes that were read.
  std::string_view content;

  friend bool operator==(const RpcMessage&, const RpcMessage&) = default;
};

/// Fails with `Errc::corrupt`.
Result<RpcMessage> read_rpc_message(std::string_view body);

/// @pre names have less than 64 KiB
void append_rpc_message(std::string& out, const RpcMessage& x);

} // namespace stoker::spark
