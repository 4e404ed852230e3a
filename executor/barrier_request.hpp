#pragma once

// What a program of a barrier task says over its socket, and what it is answered: a line
// of JSON each (docs/develop/protocol.md).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "messages/barrier.hpp"
#include "messages/result.hpp"

namespace stoker::executor {

/// A line of a request, at most, in bytes: a message may be escaped.
inline constexpr std::size_t barrier_line_max = std::size_t{8} << 20;

/// A message of ALL_GATHER, at most, in bytes.
inline constexpr std::size_t barrier_message_max = std::size_t{1} << 20;

struct BarrierRequest {
  enum class Kind { call, tasks };

  Kind kind = Kind::call;

  /// Of `call`.
  BarrierCall call = BarrierCall::BARRIER;
  std::string message;
};

/// {"call":"barrier"}, {"call":"all_gather","message":"x"} or {"call":"tasks"}. Fails with
/// `Errc::invalid_request`.
/// @param line Without its end.
Result<BarrierRequest> parse_barrier_request(std::string_view line);

// Answers, with their ends.

/// {"messages":["x","y"]}
std::string messages_answer(const std::vector<std::string>& messages);

/// {"tasks":["host-a","host-b"]}
std::string tasks_answer(const std::vector<std::string>& hosts);

/// {"error":"..."}
std::string error_answer(const std::string& why);

} // namespace stoker::executor
