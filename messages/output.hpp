#pragma once

// What executors and drivers write, brought to those who read it.
//
//   reader                master                worker
//     | RequestOutputPlace  |                     |
//     |-------------------->|                     |
//     |   OutputPlace-      |                     |
//     |   Response          |                     |
//     |<--------------------|                     |
//     | RequestOutput       | RequestOutput       |
//     |-------------------->|-------------------->|  waits for something to tell
//     |   OutputResponse    |   OutputResponse    |
//     |<--------------------|<--------------------|
//
// An application knows where its executors are and asks for no place. A reader
// asks again with the offsets that it has come to. With that it says what it
// has: until then the worker keeps it, and a program that is far ahead of its
// readers waits.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/instant.hpp"
#include "messages/program_id.hpp"

namespace stoker {

/// Where in a program's output something is.
struct OutputPosition {
  /// Exactly one of the two is set.
  std::optional<ExecutorId> executor;
  std::optional<DriverId> driver;

  /// Which of the starts of a driver by its worker, counted from 1; 0: the last
  /// one. An executor has one.
  int attempt = 0;

  /// Standard error instead of standard output.
  bool standard_error = false;

  /// In bytes from the start of the output; negative: from its end.
  std::int64_t offset = 0;
};
BOOST_DESCRIBE_STRUCT(OutputPosition, (),
                      (executor, driver, attempt, standard_error, offset))

/// Asks a worker for what its programs wrote. The answer comes when there is
/// something to tell, or when the time is up.
struct RequestOutput {
  WorkerId worker_id;

  /// Tells readers apart. Empty: the application whose executors these are.
  std::string reader;

  std::vector<OutputPosition> positions;

  /// Executors of which the application has all output, or reads no more of it.
  std::vector<ExecutorId> taken;

  /// Bytes of all data; workers answer with less where they must.
  std::int64_t limit = 65536;

  std::int64_t wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(RequestOutput, (),
                      (worker_id, reader, positions, taken, limit, wait_ms))

/// How long a worker waits for output before it answers without any: what is
/// asked for, and at most 30 s.
inline Duration wait_of(const RequestOutput& x) {
  return std::clamp<Duration>(Duration{x.wait_ms}, Duration{},
                              std::chrono::seconds{30});
}

/// A piece of one output.
struct OutputPart {
  /// Of the first byte. Its offset is larger than asked when older output is no
  /// longer kept.
  OutputPosition position;

  /// Raw bytes; need not be text.
  std::string data;

  /// How much was written so far.
  std::int64_t end = 0;

  /// The program has ended, and nothing follows `data`.
  bool complete = false;

  /// It is a driver that its worker will start again.
  bool restarts = false;

  /// Bytes of a complete output that could not be written, of both streams.
  std::int64_t lost = 0;

  /// Why the program waits to write more, or why its output cannot be read. With `data`: what
  /// is lost before it, or after it if `complete`.
  std::optional<std::string> problem;

  /// Bytes that are lost, as `problem` says; 0: their number is not known, or none are.
  std::int64_t gone = 0;

  /// Bytes of `gone` that have no offset.
  std::int64_t beside = 0;
};
BOOST_DESCRIBE_STRUCT(OutputPart, (),
                      (position, data, end, complete, restarts, lost, problem,
                       gone, beside))

/// A part for each position about which there is something to tell.
struct OutputResponse {
  std::vector<OutputPart> parts;
};
BOOST_DESCRIBE_STRUCT(OutputResponse, (), (parts))

/// Asks the master which worker has the output of an executor or a driver.
struct RequestOutputPlace {
  /// Exactly one of the two is set.
  std::optional<ExecutorId> executor;
  std::optional<DriverId> driver;
};
BOOST_DESCRIBE_STRUCT(RequestOutputPlace, (), (executor, driver))

struct OutputPlaceResponse {
  /// None: it has not been given to a worker yet.
  std::optional<WorkerId> worker_id;

  /// No other worker will have more of its output.
  bool finished = false;

  /// The driver that runs in place of this one, whose worker was lost.
  std::optional<DriverId> relaunched_as;
};
BOOST_DESCRIBE_STRUCT(OutputPlaceResponse, (),
                      (worker_id, finished, relaunched_as))

/// Whose output is meant. Nothing if the message names none, or both.
template <class Message>
std::optional<ProgramId> program_of(const Message& x) {
  if (x.executor.has_value() == x.driver.has_value())
    return std::nullopt;
  return x.executor ? ProgramId{*x.executor} : ProgramId{*x.driver};
}

/// A message of the kind that names a program by one of two fields.
template <class Message>
Message about(const ProgramId& id) {
  Message result;
  if (const auto* executor = std::get_if<ExecutorId>(&id))
    result.executor = *executor;
  else
    result.driver = std::get<DriverId>(id);
  return result;
}

} // namespace stoker
