#pragma once

#include <exception>
#include <string>

#include "messages/caf_error.hpp"

namespace stoker {

/// Lets an actor that throws end with the exception's own words.
template <class Self>
void explain_exceptions(Self self) {
  self->set_exception_handler([](std::exception_ptr& thrown) -> caf::error {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      return caf::make_error(Errc::failed, std::string{e.what()});
    } catch (...) {
      return caf::make_error(Errc::failed, std::string{"unknown exception"});
    }
  });
}

} // namespace stoker
