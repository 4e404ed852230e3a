#include "messages/output_texts.hpp"

#include "messages/printable.hpp"

namespace stoker {

std::string no_longer_kept_text(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes are no longer kept";
}

std::string lost_with_worker_text(const std::string& why) {
  return printable(why) + ", and what was not read of this output with it";
}

std::string started_again_text(const DriverId& successor) {
  return "started again as " + printable(successor.value);
}

std::string not_placed_yet_text(const ProgramId& x) {
  return printable(to_string(x)) + " has not been given to a worker yet";
}

std::string never_started_text(const ProgramEnd& x) {
  return printable(x.id + " has ended" + (x.state ? " as " + *x.state : "")
                   + " before it was given to a worker"
                   + (x.message ? ": " + *x.message : ""));
}

} // namespace stoker
