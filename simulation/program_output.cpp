#include "simulation/program_output.hpp"

#include <algorithm>
#include <cstddef>

namespace stoker::simulation {

char written_byte(int exec_id, bool standard_error, std::int64_t offset) {
  constexpr std::int64_t letters = 26;
  auto first = standard_error ? 'A' : 'a';
  return static_cast<char>(first + (offset / 7 + offset + exec_id) % letters);
}

ProgramOutput::ProgramOutput(int exec_id, const OutputPlan& plan,
                             std::int64_t log_bytes, bool kept)
    : exec_id_(exec_id), rate_(plan.rate), log_bytes_(log_bytes) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].total = plan.total[i];
    if (kept)
      streams_[i].kept = 0;
  }
}

void ProgramOutput::begin(Instant now) {
  phase_ = Phase::running;
  until_ = now;
}

void ProgramOutput::keep(Instant now, const OutputToKeep& x) {
  advance(now);
  streams_[0].kept = x.out;
  streams_[1].kept = x.err;
  // One that is told to end may have something to say.
  paused_ = x.paused && !told_to_end_;
  was_paused_ = was_paused_ || paused_;
}

void ProgramOutput::told_to_end(Instant now) {
  advance(now);
  told_to_end_ = true;
  paused_ = false;
}

void ProgramOutput::end(Instant now, bool lost) {
  advance(now);
  phase_ = lost ? Phase::lost : Phase::ended;
  if (!lost)
    for (auto& x : streams_)
      x.logged = x.written;
}

void ProgramOutput::damage(std::int64_t bytes, bool oldest) {
  auto& x = streams_[0];
  bytes = std::min(bytes, x.logged - x.begin - x.lost_at_end - 1);
  if (!has_ended() || bytes <= 0)
    return;
  damaged_ = true;
  if (oldest)
    x.begin += bytes;
  else
    x.lost_at_end += bytes;
}

void ProgramOutput::advance(Instant now) {
  if (phase_ != Phase::running)
    return;
  auto bytes = rate_ * (now - until_).count();
  until_ = now;
  for (auto& x : streams_) {
    auto wanted = std::min(x.written + bytes, x.total);
    auto room = paused_ ? x.logged : x.kept.value_or(wanted) + log_bytes_;
    x.logged = std::max(x.logged, std::min(wanted, room));
    auto possible = std::min(wanted, x.logged + pipe_bytes);
    has_waited_ = has_waited_ || possible < wanted;
    x.written = std::max(x.written, possible);
  }
}

bool ProgramOutput::has_written_all(Instant now) {
  advance(now);
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& x) { return x.written == x.total; });
}

std::optional<std::int64_t> ProgramOutput::count(bool standard_error) const {
  if (phase_ != Phase::ended)
    return std::nullopt;
  return stream(standard_error).logged;
}

ProgramOutput::Piece ProgramOutput::read(Instant now, bool standard_error,
                                         std::int64_t offset,
                                         std::int64_t limit) {
  advance(now);
  const auto& x = stream(standard_error);
  Piece result;
  result.end = x.logged - x.lost_at_end;
  result.offset = std::clamp(offset, x.begin, result.end);
  auto end = std::min(result.end, result.offset + limit);
  for (auto i = result.offset; i < end; ++i)
    result.data += written_byte(exec_id_, standard_error, i);
  return result;
}

} // namespace stoker::simulation
