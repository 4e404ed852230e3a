#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/message_id.hpp>

namespace stoker {

/// The actor that others reach here, and whether it keeps up with what it is sent:
/// CAF keeps all of that, however much it is. May be used by any thread.
class Receiver {
public:
  /// @param actor Handles one message after the other, and never waits for an answer
  /// before it takes the next one.
  explicit Receiver(const caf::strong_actor_ptr& actor);
  ~Receiver();

  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  [[nodiscard]] caf::actor_id id() const noexcept {
    return id_;
  }

  /// Calls `then` once the actor has handled all that it has now, or has ended; in
  /// some thread, and maybe at once. It must not block.
  void when_caught_up(std::function<void()> then);

  /// Calls nobody from then on who waits now.
  void close();

private:
  void answered(caf::message_id id);

  caf::actor_id id_;
  std::mutex mutex_;
  caf::weak_actor_ptr actor_;

  /// Gets the answers, in the actor's thread; null: it is closed.
  caf::actor companion_;
  std::uint64_t last_question_ = 0;
  std::map<std::uint64_t, std::function<void()>> waiting_;
};

} // namespace stoker
