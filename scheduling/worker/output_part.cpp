#include "scheduling/worker/output_part.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

namespace {

std::string gone_text(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes are gone from the disk of its worker";
}

/// Why something is missing of an ended program's output.
/// @param next Where the reader would continue.
/// @param unread Why the log cannot be read.
std::optional<std::string> loss_of(const Result<OutputAccount>& account,
                                   std::int64_t next,
                                   const std::optional<std::string>& unread) {
  if (!account)
    return unread.value_or("it is not known whether this is all: "
                           + account.error().message);
  const auto& all = account->written;
  if (all && *all > next)
    return gone_text(*all - next) + (unread ? ": " + *unread : "");
  // A program that could not be started has no output.
  if (all || account->could_not_start)
    return std::nullopt;
  return unread;
}

/// There is more for all that is known here, so the reader has to ask again.
OutputPart unreadable(OutputPart part, const Error& why) {
  part.end = std::max(part.end,
                      std::max<std::int64_t>(part.position.offset, 0)
                          + static_cast<std::int64_t>(part.data.size()) + 1);
  part.complete = false;
  part.problem = why.message;
  return part;
}

} // namespace

OutputPart output_part(const OutputPosition& position,
                       const OutputSource& source, Result<LogPiece> piece,
                       const std::function<Result<OutputAccount>()>& account) {
  OutputPart result;
  result.position = position;
  result.position.attempt = source.attempt;
  std::optional<std::string> unread;
  std::optional<std::string> gap;
  if (piece) {
    if (piece->gone > 0) {
      auto said = account();
      if (!said && said.code() == Errc::io)
        return unreadable(std::move(result), said.error());
      if (said && said->tells_rotation)
        gap = gone_text(piece->gone);
    }
    result.data = std::move(piece->data);
    result.position.offset = piece->offset;
    result.end = piece->end;
  } else if (piece.code() == Errc::io) {
    return unreadable(std::move(result), piece.error());
  } else {
    unread = piece.error().message;
  }
  // The reader has all before the offset that it asks for. A log that was cut off since
  // may end earlier.
  auto next = std::max(position.offset, result.position.offset)
              + static_cast<std::int64_t>(result.data.size());
  result.complete = !source.grows && (!piece || next >= result.end);
  if (!result.complete && !result.data.empty()) {
    result.problem = gap;
    return result;
  }
  auto said = account();
  if (result.complete) {
    if (!said && said.code() == Errc::io)
      return unreadable(std::move(result), said.error());
    result.restarts = source.restarts;
    result.lost = said ? said->lost : 0;
    result.problem = loss_of(said, std::max<std::int64_t>(next, 0), unread);
    if (!result.problem)
      result.problem = gap;
  } else if (said) {
    result.problem = said->problem;
  }
  return result;
}

bool is_news(const OutputPart& part, const OutputPosition& asked) {
  return !part.data.empty() || part.complete || asked.offset < 0;
}

} // namespace stoker
