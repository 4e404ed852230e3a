#include "process/output_pump.hpp"

#include <array>
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

int OutputPump::descriptor() const noexcept {
  return pipe_.get();
}

void OutputPump::pump() {
  // One buffer at a time, so that other things get their turn.
  pump(buffer_bytes);
}

void OutputPump::finish() {
  pump(rest_bytes_max);
  pipe_.reset();
  log_.close();
}

void OutputPump::pump(std::size_t bytes_max) {
  std::array<char, buffer_bytes> buffer;
  for (std::size_t done = 0; pipe_ && done < bytes_max;) {
    auto n = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (n < 0)
      return; // nothing there now
    if (n == 0)
      return pipe_.reset();
    log_.write({buffer.data(), static_cast<std::size_t>(n)});
    done += static_cast<std::size_t>(n);
  }
}

} // namespace stoker::process
