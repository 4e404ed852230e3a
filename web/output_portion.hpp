#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <caf/replies_to.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/interfaces.hpp"
#include "messages/output.hpp"
#include "web/http.hpp"
#include "web/output_follower.hpp"

namespace stoker {

// Output as pages show it: piece by piece, each of them a short answer. A connection that
// is held for an output would be one of the six that a browser has for all its pages
// together, and a program would wait for whoever looks at it.

/// Where in its output a program is read on.
struct ReadingPlace {
  /// Which of the starts of a driver, counted from 1; 0: the last one.
  int attempt = 0;

  /// In bytes from the start.
  std::int64_t offset = 0;

  friend bool operator==(const ReadingPlace&, const ReadingPlace&) = default;
};

/// "2.1234": what follows byte 1234 of the second start. Nothing: it says no place.
std::optional<ReadingPlace> parse_reading_place(std::string_view x);

/// What of a piece was not read yet, in words where something is missing before it.
/// @param data as it stands from `begin` on
/// @param known how far it was read before. Unset: this is the first piece.
std::string unread_output(std::string data, std::int64_t begin,
                          std::optional<std::int64_t> known);

struct OutputPortionConfig {
  MasterActor master;
  OutputRequest request;

  /// Where to go on. Unset: at its end.
  std::optional<ReadingPlace> after;
  HttpReplyPtr reply;
};

/// The value of `portion` in the query of an output's address: "last", or a place. Nothing:
/// it is not asked for in portions.
std::optional<std::string> output_portion_of(const HttpRequest& x);

/// The OUTPUT PORTION reads what is new of one output, at most its last 64 KB, and answers
/// with it. The field Link says where what follows will be ("next"); without it nothing
/// follows.
using OutputPortionActor = caf::typed_actor<caf::reacts_to<ReadOn>>;

struct OutputPortionState {
  OutputPortionConfig config;
  WorkerId worker;

  /// Where the master says that it is, or who goes on with it.
  OutputPlaceResponse place;

  /// So many bytes before its end were asked for.
  std::int64_t asked_bytes = 0;

  /// Names the actor in logs.
  static constexpr const char* name = "output-portion";
};

OutputPortionActor::behavior_type
output_portion(OutputPortionActor::stateful_pointer<OutputPortionState> self,
               OutputPortionConfig config);

} // namespace stoker
