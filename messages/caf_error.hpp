#pragma once

#include <caf/error.hpp>
#include <caf/make_message.hpp>

#include "messages/errc.hpp"

// Lets `caf::error`, `caf::expected` and `caf::result` be built from an `Errc`.
// Has to stand outside of any namespace.
CAF_ERROR_CODE_ENUM(stoker::Errc, "stoker")
