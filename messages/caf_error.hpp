#pragma once

#include <caf/error.hpp>
#include <caf/make_message.hpp>

#include "messages/result.hpp"

// Lets `caf::error`, `caf::expected` and `caf::result` be built from an `Errc`.
// Has to stand outside of any namespace.
CAF_ERROR_CODE_ENUM(stoker::Errc, "stoker")

namespace stoker {

/// The same failure, as the answer to a request.
inline caf::error to_caf_error(const Error& x) {
  return caf::make_error(x.code, x.message);
}

/// What a failure means to whoever passed a request on: CAF's own errors are
/// about the actor that was asked, and would be taken for the one that answers.
inline caf::error passed_on(caf::error e, const std::string& whom) {
  if (e.category() == caf::atom("stoker"))
    return e;
  return caf::make_error(Errc::no_answer, whom + " does not answer");
}

} // namespace stoker
