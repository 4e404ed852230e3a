#pragma once

// What an application writes to the standard input of its executors.
//
//   app client            master                worker          supervisor
//     | WriteInput          | WriteInput          |                 |
//     |-------------------->|-------------------->| input           |
//     |                     |                     |---------------->|
//     |   InputResponse     |   InputResponse     |   taken         |
//     |<--------------------|<--------------------|<----------------|
//
// Asked again with the same offset, as after a broken connection, it is written once: the
// supervisor, which alone holds the pipe, counts what it has taken.

#include <cstdint>
#include <optional>
#include <string>

#include "messages/descriptions.hpp"
#include "messages/ids.hpp"

namespace stoker {

/// Answered when something of it is taken or the program reads no more, and at the latest
/// after 10 s.
struct WriteInput {
  WorkerId worker_id;
  ExecutorId executor;

  /// Of the first byte, from the start of the input.
  std::int64_t offset = 0;

  /// Raw bytes, at most 65,536; may be empty, which asks how far it is.
  std::string data;

  /// Nothing follows `data`.
  bool end = false;
};
BOOST_DESCRIBE_STRUCT(WriteInput, (), (worker_id, executor, offset, data, end))

struct InputResponse {
  /// How much of the input is taken, in bytes from its start: go on there.
  std::int64_t taken = 0;

  /// The program reads no more, or has all there is.
  bool closed = false;

  /// Why nothing can be written, in one line.
  std::optional<std::string> problem;
};
BOOST_DESCRIBE_STRUCT(InputResponse, (), (taken, closed, problem))

} // namespace stoker
