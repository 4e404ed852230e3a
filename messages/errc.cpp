#include "messages/errc.hpp"

namespace stoker {

const char* to_string(Errc x) noexcept {
  // No default: the compiler names the enumerator that was forgotten.
  switch (x) {
  case Errc::none:
    return "none";
  case Errc::not_alive:
    return "not_alive";
  case Errc::not_found:
    return "not_found";
  case Errc::not_running:
    return "not_running";
  case Errc::invalid_request:
    return "invalid_request";
  case Errc::unreadable:
    return "unreadable";
  }
  return "?";
}

} // namespace stoker
