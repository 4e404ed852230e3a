#include "scheduling/worker/output_part.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

namespace {

std::string gone_text(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes are gone from the disk of its worker";
}

std::string beside_text(std::int64_t bytes) {
  return std::to_string(bytes)
         + " bytes are not shown: another process appended them to a log file "
           "that was full";
}

/// Adds to a part, whose problem says that `gone` bytes are lost, those that were appended
/// beside the log.
void count_loss(OutputPart& part, std::int64_t gone, std::int64_t beside) {
  part.gone = gone + beside;
  part.beside = beside;
  if (beside > 0)
    part.problem
        = (part.problem ? *part.problem + "; " : "") + beside_text(beside);
}

/// Returns the bytes that an ended program wrote behind the end of its log.
/// @param next Where the reader would continue.
std::int64_t gone_at_end(const Result<OutputAccount>& account,
                         std::int64_t next) {
  if (account && account->written && *account->written > next)
    return *account->written - next;
  return 0;
}

/// Why something is missing of an ended program's output.
/// @param gone The bytes that are known to be missing.
/// @param unread Why the log cannot be read.
std::optional<std::string> loss_of(const Result<OutputAccount>& account,
                                   std::int64_t gone,
                                   const std::optional<std::string>& unread) {
  if (!account)
    return unread.value_or("it is not known whether this is all: "
                           + account.error().message);
  if (gone > 0)
    return gone_text(gone) + (unread ? ": " + *unread : "");
  // A program that could not be started has no output.
  if (account->written || account->could_not_start)
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
  std::int64_t taken = 0;
  std::int64_t beside = 0;
  if (piece) {
    if (piece->gone > 0) {
      auto said = account();
      if (!said && said.code() == Errc::io)
        return unreadable(std::move(result), said.error());
      if (said && said->tells_rotation)
        taken = piece->gone;
    }
    beside = piece->beside;
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
    if (taken > 0)
      result.problem = gone_text(taken);
    count_loss(result, taken, beside);
    return result;
  }
  auto said = account();
  if (result.complete) {
    if (!said && said.code() == Errc::io)
      return unreadable(std::move(result), said.error());
    result.restarts = source.restarts;
    result.lost = said ? said->lost : 0;
    next = std::max<std::int64_t>(next, 0);
    auto at_end = gone_at_end(said, next);
    result.end = std::max(result.end, next + at_end);
    result.problem = loss_of(said, taken + at_end, unread);
    count_loss(result, taken + at_end, beside);
  } else if (said) {
    result.problem = said->problem;
  }
  return result;
}

bool is_news(const OutputPart& part, const OutputPosition& asked) {
  return !part.data.empty() || part.complete || asked.offset < 0;
}

} // namespace stoker
