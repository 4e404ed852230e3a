#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "messages/instant.hpp"
#include "scheduling/master/event_lines.hpp"
#include "web/cluster_copy.hpp"

namespace stoker {

/// Something that happened, as the master's log has it, and the decision behind it.
struct LoggedEvent {
  /// Each is larger than the one before, also over a restart of the master, or over another
  /// leader: they begin with the time. By one, unless something may be missing between.
  std::uint64_t number = 0;
  Instant at;
  EventLine line;

  /// In words; empty: there is nothing to say.
  std::string decision;
};

/// Whether an event names this: as the whole value of a field, as an id or a user's name, or
/// as the executor "APP/N".
bool names(const LoggedEvent& x, std::string_view what);

/// What happened last, as far as the feed has told it: the last lines.
class EventLog {
public:
  static constexpr std::size_t default_limit = 10'000;

  /// @param limit How many lines are kept.
  explicit EventLog(std::size_t limit = default_limit) : limit_(limit) {
  }

  /// What is there from now on, which is no news.
  void begin(const StoredState& stored, Instant at);

  /// @param before the cluster as it was before the change
  void note(const Change& change, const ClusterCopy& before, Instant at);

  /// Whether the feed has told what there is.
  [[nodiscard]] bool has_begun() const {
    return lines_.has_value();
  }

  /// The last one is the last.
  [[nodiscard]] const std::deque<LoggedEvent>& events() const {
    return events_;
  }

  /// That of the last event, or what the first one follows.
  [[nodiscard]] std::uint64_t last_number() const {
    return last_number_;
  }

private:
  std::size_t limit_;
  std::uint64_t last_number_ = 0;
  std::optional<EventLines> lines_;
  std::deque<LoggedEvent> events_;
};

} // namespace stoker
