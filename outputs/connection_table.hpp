#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>

#include "messages/ids.hpp"

namespace stoker {

/// The connections of an OutputService: how many there are, and which has to go when
/// there are too many. May be used by any thread.
class ConnectionTable {
public:
  struct Limits {
    std::size_t connections_max = 0;
    std::size_t connections_per_application = 0;
    std::size_t handshakes_max = 0;
  };

  explicit ConnectionTable(Limits limits) : limits_(limits) {
  }

  /// One connection. It is removed by whoever has added it. One that was closed
  /// here stays as it is until then.
  struct Entry {
    /// Ends it; called by any thread, perhaps several times.
    std::function<void()> close;
    enum class Phase { unproven, idle, busy, leaving } phase = Phase::unproven;
    AppId app;
  };
  using Place = std::list<Entry>::iterator;

  /// One that has proven nothing. If there are too many, the oldest is closed.
  Place add(std::function<void()> close);

  /// It belongs to an application, and has asked for nothing yet. Returns false if
  /// there is no room, since all others are busy.
  bool prove(Place x, const AppId& app);

  void set_busy(Place x);
  void set_idle(Place x);
  void remove(Place x);

  /// Closes those of an application, or all.
  void close(const AppId& app);
  void close_all();

  [[nodiscard]] std::size_t size() const;

private:
  using Entries = std::list<Entry>;

  /// The one that has been idle for longest is in front.
  struct Application {
    Entries idle;
    Entries busy;

    [[nodiscard]] std::size_t size() const noexcept {
      return idle.size() + busy.size();
    }
  };

  /// The list that an entry is in.
  Entries& list_of(const Entry& x);

  /// Puts an entry at the end of the list that its phase and application say.
  void move(Place x, Entry::Phase phase);

  /// Closes the first one of a list. Returns false if there is none.
  bool close_first(Entries& entries);
  void close_all(Entries& entries);

  const Limits limits_;
  mutable std::mutex mutex_;
  Entries unproven_;

  /// They were closed, and do not count any more.
  Entries leaving_;
  std::map<AppId, Application> applications_;
  std::size_t proven_ = 0;
};

} // namespace stoker
