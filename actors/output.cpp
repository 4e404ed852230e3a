#include "actors/output.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <caf/send.hpp>

#include "actors/failure.hpp"
#include "scheduling/worker/output_part.hpp"

namespace stoker {

namespace {

using OutputSelf = OutputActor::stateful_pointer<OutputState>;

/// Bytes. An answer carries no more, whatever is asked.
constexpr std::int64_t answer_bytes_max = 1024 * 1024;

/// Bytes of one part, where the answer has room for them.
constexpr std::int64_t part_bytes_min = 16 * 1024;

/// What a program may write at once when its readers are found to have more: a
/// part of what its logs hold, and not so little that it is told all the time.
constexpr std::int64_t told_bytes_max = 256 * 1024;

/// How long to wait before files are looked at again: longer each time, as long
/// as nothing comes.
constexpr Duration first_pause{10};
constexpr Duration longest_pause{250};

std::string out_of_order(int error) {
  return std::string{"its output cannot be written: "} + std::strerror(error);
}

/// What the supervisor has said of an output.
Result<OutputAccount> account_of(const std::string& directory,
                                 bool standard_error) {
  auto state = process::read_state(directory);
  if (!state)
    return state.error();
  OutputAccount result;
  result.could_not_start = state->phase == process::Phase::could_not_start;
  if (state->written)
    result.written = standard_error ? state->written->err : state->written->out;
  result.lost = state->lost_output;
  result.tells_rotation = state->names_oldest;
  if (state->output_error != 0)
    result.problem = out_of_order(state->output_error);
  return result;
}

Result<LogPiece> read_piece(const OutputPosition& position,
                            const std::string& directory, std::int64_t limit) {
  auto stream = position.standard_error ? process::LogStream::err
                                        : process::LogStream::out;
  auto read = process::read_log(directory, stream, position.offset,
                                static_cast<std::size_t>(limit));
  if (!read)
    return read.error();
  return LogPiece{std::move(read->data), read->offset, read->end, read->gone,
                  read->beside};
}

/// What there is of one output now.
OutputPart read_part(const OutputPosition& position, const OutputSource& source,
                     std::int64_t limit) {
  return output_part(
      position, source, read_piece(position, source.directory, limit),
      [&] { return account_of(source.directory, position.standard_error); });
}

OutputPart refusal_of(const OutputPosition& position) {
  OutputPart result;
  result.position = position;
  result.complete = true;
  result.problem = "this is not the output of an executor or a driver";
  return result;
}

/// What there is to tell.
struct Reading {
  OutputResponse response;

  /// It is worth telling at once.
  bool is_news = false;

  bool has_problem = false;
};

Reading read_all(const ReadOutput& x) {
  const auto& positions = x.request.positions;
  Reading result;
  result.is_news = positions.empty();
  auto rest = std::clamp<std::int64_t>(x.request.limit, 0, answer_bytes_max);
  auto share = std::max(rest / std::max<std::int64_t>(std::ssize(positions), 1),
                        part_bytes_min);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    auto part = x.sources[i] ? read_part(positions[i], *x.sources[i],
                                         std::min(share, rest))
                             : refusal_of(positions[i]);
    rest -= static_cast<std::int64_t>(part.data.size());
    auto is_new = is_news(part, positions[i]);
    result.is_news = result.is_news || is_new;
    result.has_problem = result.has_problem || part.problem;
    if (is_new || part.problem)
      result.response.parts.push_back(std::move(part));
  }
  return result;
}

std::vector<std::optional<process::OutputStamp>>
stamps_of(const ReadOutput& x) {
  std::vector<std::optional<process::OutputStamp>> result;
  const OutputSource* last = nullptr;
  for (const auto& source : x.sources) {
    // The two streams of a program stand side by side, and share a stamp.
    if (source && last && source->directory == last->directory)
      result.push_back(result.back());
    else
      result.push_back(source ? process::stamp_of(source->directory)
                              : std::nullopt);
    last = source ? &*source : nullptr;
  }
  return result;
}

bool concerns(const ReadOutput& x, const ProgramId& id) {
  return std::any_of(
      x.sources.begin(), x.sources.end(),
      [&](const auto& source) { return source && source->id == id; });
}

void tell_changes(OutputSelf self) {
  for (const auto& x : self->state.readers->take_changes())
    self->state.keep(x);
}

void ask_for_tick(OutputSelf self) {
  auto& state = self->state;
  auto next = state.readers->due();
  for (const auto& x : state.waiting)
    next = earlier(next, std::min(x.look_at, x.until));
  if (auto when = state.wake_up.ask_for(next))
    self->scheduled_send(self, state.clock->at(*when), OutputTick{});
}

/// Answers if there is something to tell, or nothing to wait for any more.
bool try_to_answer(Instant now, OutputState::Waiting& x) {
  auto stamps = stamps_of(x.question);
  auto known = std::none_of(stamps.begin(), stamps.end(),
                            [](const auto& y) { return !y.has_value(); });
  auto late = now >= x.until;
  if (!late && known && stamps == x.stamps)
    return false;
  auto first = !x.stamps;
  x.stamps = std::move(stamps);
  auto reading = read_all(x.question);
  // A problem that was there before is known, or is told when the time is up.
  if (first)
    x.had_problem = reading.has_problem;
  else if (reading.has_problem && !x.had_problem)
    reading.is_news = true;
  if (!reading.is_news && !late)
    return false;
  x.answer.deliver(std::move(reading.response));
  return true;
}

caf::result<OutputResponse> read(OutputSelf self, const ReadOutput& x) {
  auto& state = self->state;
  auto now = state.clock->now();
  const auto& request = x.request;
  for (std::size_t i = 0; i < x.sources.size(); ++i)
    if (x.sources[i] && request.positions[i].offset >= 0)
      state.readers->read(now, request.reader, *x.sources[i],
                          request.positions[i].standard_error,
                          request.positions[i].offset);
  tell_changes(self);
  auto promise = self->make_response_promise<OutputResponse>();
  OutputState::Waiting waiting;
  waiting.question = x;
  waiting.answer = promise;
  waiting.look_at = now + first_pause;
  waiting.pause = first_pause;
  waiting.until = now + wait_of(request);
  if (!try_to_answer(now, waiting)) {
    for (const auto& source : x.sources)
      if (source)
        state.readers->waits(source->id);
    tell_changes(self);
    state.waiting.push_back(std::move(waiting));
  }
  ask_for_tick(self);
  return promise;
}

/// What this worker knew of the program when it was asked is no longer true: who
/// waits has to ask again.
void ended(OutputSelf self, const OutputEnded& what) {
  auto& state = self->state;
  state.readers->ended(what.id, what.unread);
  tell_changes(self);
  for (auto& x : state.waiting)
    if (concerns(x.question, what.id))
      x.answer.deliver(OutputResponse{});
  state.waiting.remove_if([](const auto& x) { return !x.answer.pending(); });
}

void look(OutputSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  state.wake_up.came(now);
  state.readers->tick(now);
  tell_changes(self);
  for (auto i = state.waiting.begin(); i != state.waiting.end();) {
    auto& x = *i;
    if (std::min(x.look_at, x.until) > now) {
      ++i;
    } else if (try_to_answer(now, x)) {
      i = state.waiting.erase(i);
    } else {
      x.pause = std::min(2 * x.pause, longest_pause);
      x.look_at = now + x.pause;
      ++i;
    }
  }
  ask_for_tick(self);
}

} // namespace

OutputActor::behavior_type
output(OutputSelf self, std::int64_t log_bytes, int log_files,
       std::function<void(const OutputToKeep&)> keep) {
  handle_the_unexpected(self);
  self->state.clock.emplace(self->clock());
  self->state.keep = std::move(keep);
  self->state.readers.emplace(
      std::clamp<std::int64_t>(log_bytes / 4, 1, told_bytes_max),
      log_bytes * log_files);
  return {
      [self](const ReadOutput& x) { return read(self, x); },
      [self](const OutputStarted& x) {
        self->state.readers->started(x.id, x.is_read);
        tell_changes(self);
      },
      [self](const OutputAdopted& x) {
        self->state.readers->adopted(self->state.clock->now(), x.id);
        tell_changes(self);
        ask_for_tick(self);
      },
      [self](const OutputEnded& x) { ended(self, x); },
      [self](const OutputHasBeenTaken& x) {
        self->state.readers->taken(x.id);
        tell_changes(self);
      },
      [self](const OutputReaderLeft& x) {
        self->state.readers->left(x.app);
        tell_changes(self);
      },
      [self](const OutputTick&) { look(self); },
  };
}

} // namespace stoker
