#include "embedding/actor_failure.hpp"

#include <utility>

#include <caf/abstract_actor.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

void on_failure(caf::actor_system& system, const caf::strong_actor_ptr& actor,
                const std::string& what,
                std::function<void(const std::string& why)> call) {
  actor->get()->attach_functor(
      [&system, what, call = std::move(call)](const caf::error& reason) {
        if (reason && reason != caf::exit_reason::normal
            && reason != caf::exit_reason::user_shutdown)
          call(what + " has failed: " + system.render(reason));
      });
}

} // namespace stoker
