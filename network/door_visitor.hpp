#pragma once

#include <memory>
#include <string>

#include "network/door_listener.hpp"

namespace stoker {

/// A connection that has yet to prove itself: it waits in the lobby without cost until its first
/// byte is there, and for its turn; then it shakes hands, greets, and is let in, or closes.
class DoorVisitor {
public:
  DoorVisitor() = default;
  DoorVisitor(const DoorVisitor&) = delete;
  DoorVisitor& operator=(const DoorVisitor&) = delete;
  virtual ~DoorVisitor() = default;

  /// In the thread of its socket.
  /// @param ticket Its place in the listener's lobby.
  virtual void begin(Lobby::Ticket ticket) = 0;

  /// From any thread.
  virtual void leave() = 0;
};

/// @param socket Its thread is one for handshakes.
/// @param from Its peer's address, for the log.
/// @param peer The peer that it counts for.
std::shared_ptr<DoorVisitor>
make_door_visitor(std::shared_ptr<DoorListener> listener, PlainStream socket,
                  std::string from, std::string peer);

} // namespace stoker
