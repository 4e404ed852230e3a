#pragma once

#include <exception>
#include <string>

#include <caf/scheduled_actor.hpp>

#include "messages/caf_error.hpp"

namespace stoker {

/// Lets an actor that throws end with the exception's own words, and drop what it
/// does not understand. CAF writes that to the terminal as it came.
template <class Self>
void handle_the_unexpected(Self self) {
  self->set_exception_handler([](std::exception_ptr& thrown) -> caf::error {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      return caf::make_error(Errc::failed, std::string{e.what()});
    } catch (...) {
      return caf::make_error(Errc::failed, std::string{"unknown exception"});
    }
  });
  self->set_default_handler(caf::drop);
}

} // namespace stoker
