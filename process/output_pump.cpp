#include "process/output_pump.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace stoker::process {

namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;

/// More than a pipe can hold, so enough for all that a dead program has left;
/// and bounded, since a pipe may have been passed to somebody outside the tree.
constexpr std::size_t rest_bytes_max = 4 * 1024 * 1024;

} // namespace

OutputPump::OutputPump(int directory, std::string log, std::int64_t bytes_max,
                       int files_max)
    : log_(directory, std::move(log), bytes_max, files_max) {
}

int OutputPump::open_log() {
  return log_.open();
}

void OutputPump::attach(UniqueFd pipe) {
  pipe_ = std::move(pipe);
}

void OutputPump::keep_from(std::optional<std::int64_t> offset) {
  log_.keep_from(offset);
}

int OutputPump::descriptor() const noexcept {
  return pending_.empty() && !paused_ ? pipe_.get() : -1;
}

void OutputPump::pump() {
  write_pending(LogWriter::Limit::kept);
  // One buffer at a time, so that other things get their turn.
  if (pending_.empty() && !paused_)
    read(buffer_bytes, LogWriter::Limit::kept);
}

void OutputPump::drain() {
  write_pending(LogWriter::Limit::ignored);
  if (!pipe_)
    return;
  read(rest_bytes_max, LogWriter::Limit::ignored);
  // Whoever still has its other end is not of the program.
  pipe_.reset();
}

void OutputPump::close() {
  if (!pending_.empty())
    log_.drop(pending_.size());
  pending_.clear();
  pipe_.reset();
  log_.close();
}

void OutputPump::read(std::size_t bytes_max, LogWriter::Limit limit) {
  std::array<char, buffer_bytes> buffer;
  for (std::size_t done = 0; pipe_ && done < bytes_max;) {
    auto n = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (n < 0)
      return; // nothing there now
    if (n == 0)
      return pipe_.reset();
    std::string_view data{buffer.data(), static_cast<std::size_t>(n)};
    done += data.size();
    received_ += n;
    // Behind what waits already, nothing is written.
    if (pending_.empty())
      data.remove_prefix(log_.write(data, limit));
    pending_ += data;
    if (!pending_.empty() && limit == LogWriter::Limit::kept)
      return;
  }
}

void OutputPump::write_pending(LogWriter::Limit limit) {
  if (!pending_.empty())
    pending_.erase(0, log_.write(pending_, limit));
}

} // namespace stoker::process
