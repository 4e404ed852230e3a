#include "storage/log_writer.hpp"

#include <chrono>

namespace stoker {

namespace {

/// How long lines gather, so that many are written at once and who appends them
/// seldom has to wake the thread.
constexpr std::chrono::milliseconds gathering_time{5};

/// Written at once, without waiting for more.
constexpr std::size_t enough = 256 * 1024;

/// What may gather when the disk is slower than the log.
constexpr std::size_t too_much = 64 * 1024 * 1024;

} // namespace

LogWriter::LogWriter(const std::string& path, LogKind kind, std::string config,
                     MessageLogLimits limits)
    : files_(path, kind, std::move(config), limits),
      failed_(!files_.has_begun()), thread_([this] { run(); }) {
}

LogWriter::~LogWriter() {
  {
    std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wanted_.notify_one();
  thread_.join();
}

void LogWriter::appended(std::unique_lock<std::mutex>& lock,
                         std::size_t before) {
  auto after = gathered_.size();
  if (after > too_much)
    written_.wait(lock, [this] { return gathered_.empty() || failed_; });
  lock.unlock();
  if (before == 0 || (before < enough && after >= enough))
    wanted_.notify_one();
}

void LogWriter::flush() {
  std::unique_lock lock{mutex_};
  urgent_ = true;
  wanted_.notify_one();
  written_.wait(lock,
                [this] { return failed_ || (gathered_.empty() && !writing_); });
  urgent_ = false;
}

std::string LogWriter::problem() const {
  std::lock_guard lock{mutex_};
  // The thread writes no more then.
  return failed_ ? files_.problem() : std::string{};
}

void LogWriter::run() {
  std::string lines;
  std::unique_lock lock{mutex_};
  while (!failed_) {
    wanted_.wait(lock, [this] { return stopping_ || !gathered_.empty(); });
    wanted_.wait_for(lock, gathering_time, [this] {
      return stopping_ || urgent_ || gathered_.size() >= enough;
    });
    if (gathered_.empty())
      return;
    lines.clear();
    lines.swap(gathered_);
    writing_ = true;
    lock.unlock();
    auto good = files_.write(lines);
    // What a burst took is given back.
    if (lines.capacity() > 4 * enough)
      std::string{}.swap(lines);
    lock.lock();
    writing_ = false;
    failed_ = !good;
    written_.notify_all();
  }
}

} // namespace stoker
