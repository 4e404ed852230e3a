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
  case Errc::failed:
    return "failed";
  case Errc::in_use:
    return "in_use";
  case Errc::io:
    return "io";
  case Errc::full:
    return "full";
  case Errc::corrupt:
    return "corrupt";
  case Errc::too_new:
    return "too_new";
  case Errc::fenced:
    return "fenced";
  case Errc::no_answer:
    return "no_answer";
  case Errc::not_allowed:
    return "not_allowed";
  case Errc::refused:
    return "refused";
  case Errc::untrusted:
    return "untrusted";
  case Errc::no_listener:
    return "no_listener";
  }
  return "?";
}

} // namespace stoker
