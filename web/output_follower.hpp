#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "messages/missing_attempts.hpp"
#include "messages/output.hpp"
#include "messages/result.hpp"
#include "web/http.hpp"

namespace stoker {

/// Which output somebody wants to read.
struct OutputRequest {
  ProgramId program;
  bool standard_error = false;

  /// Not more than the last bytes of a driver's last start; 0: only what follows. Unset: all
  /// that is kept of each of its starts.
  std::optional<std::int64_t> tail;

  /// Goes on until the program ends, or the reader goes.
  bool follow = false;
};

/// What the master or the worker says of an output that cannot be read; `Errc::no_answer`:
/// nothing.
Error known_error(const caf::error& x);

/// How that is answered over HTTP.
HttpResponse output_problem(const Error& x);

/// "/logs/executors/APP/N/stdout" or "/logs/drivers/ID/stderr", with a query of "follow=1"
/// and "tail=BYTES". Nothing: it is no such path.
std::optional<OutputRequest> parse_output_request(const HttpRequest& x);

/// The path of an output, without a query.
std::string output_path(const ProgramId& program, bool standard_error);

/// There may be more to read.
struct ReadOn {};

/// The reader has taken all that he was sent.
struct ReaderTookAll {};

/// Whether the reader is still there for whom the follower waits.
struct LookAtReader {
  std::uint64_t wait = 0;
};

struct OutputFollowerConfig {
  MasterActor master;
  OutputRequest request;
  HttpReplyPtr reply;
};

/// The OUTPUT FOLLOWER reads one output for one who asked over HTTP, from one start of a
/// driver to the next. It ends with what it reads, or with its reader.
using OutputFollowerActor = caf::typed_actor<
    // -- INTERNAL
    caf::reacts_to<ReadOn>, caf::reacts_to<ReaderTookAll>,
    caf::reacts_to<LookAtReader>>;

struct OutputFollowerState {
  OutputFollowerConfig config;

  /// Tells it from other readers of the worker.
  std::string reader;
  OutputPosition position;
  std::optional<WorkerId> worker;
  std::shared_ptr<HttpStream> stream;

  /// No more is read before the reader has taken what there is. Each wait has a number.
  bool waits_for_reader = false;
  std::uint64_t waits = 0;

  /// Of a driver's starts. They are told of when something is there to read again.
  MissingAttempts missing;
  bool has_written = false;

  /// That its worker is lost, which is told once.
  bool has_told_of_loss = false;

  /// Names the actor in logs.
  static constexpr const char* name = "output-follower";
};

OutputFollowerActor::behavior_type
output_follower(OutputFollowerActor::stateful_pointer<OutputFollowerState> self,
                OutputFollowerConfig config);

} // namespace stoker

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ReadOn)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::ReaderTookAll)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::LookAtReader)
