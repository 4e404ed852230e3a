#pragma once

#include <string>

#include <caf/actor_system.hpp>
#include <caf/error.hpp>

#include "messages/caf_error.hpp"
#include "messages/printable.hpp"

namespace stoker {

/// Why the master has not answered a question, in a line for who asked it over HTTP: one that
/// does not lead says that itself.
inline std::string why_unanswered(const caf::actor_system& system,
                                  const caf::error& e) {
  auto text = printable(system.render(e));
  return e == Errc::not_alive ? text : "the master does not answer: " + text;
}

} // namespace stoker
