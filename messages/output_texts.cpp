#include "messages/output_texts.hpp"

#include <algorithm>

#include "messages/printable.hpp"

namespace stoker {

std::string no_longer_kept_text(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes are no longer kept";
}

std::int64_t no_longer_kept(const OutputPart& x, std::int64_t asked) {
  if (asked < 0 || x.data.empty() || x.position.offset <= asked)
    return 0;
  auto next = x.position.offset + static_cast<std::int64_t>(x.data.size());
  auto at_end = x.complete ? std::max(x.end - next, std::int64_t{0}) : 0;
  return std::max(x.position.offset - asked - (x.gone - x.beside - at_end),
                  std::int64_t{0});
}

std::optional<std::string> loss_text(const OutputPart& x) {
  if (x.problem)
    return printable(*x.problem);
  if (x.lost > 0)
    return std::to_string(x.lost) + " bytes could not be written by its worker";
  return std::nullopt;
}

bool is_unreadable(const OutputPart& x) {
  return !x.complete && x.problem && x.data.empty()
         && x.end > std::max<std::int64_t>(x.position.offset, 0);
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
