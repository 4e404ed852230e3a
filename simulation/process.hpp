#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/disturbance.hpp"
#include "simulation/event_queue.hpp"

namespace stoker::simulation {

/// An operating-system process: it lives, is stopped and continued (SIGSTOP,
/// SIGCONT), dies and is started again. What was planned in one life does not
/// happen in the next.
class Process {
public:
  Process(EventQueue& queue, std::string name)
      : queue_(queue), name_(std::move(name)) {
  }
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] const std::string& name() const noexcept {
    return name_;
  }
  [[nodiscard]] bool up() const noexcept {
    return up_;
  }
  [[nodiscard]] bool paused() const noexcept {
    return paused_;
  }
  [[nodiscard]] std::uint64_t life() const noexcept {
    return life_;
  }

  /// A connection of it broke, or it leads no more.
  void disturb() {
    disturbance_.note(queue_.now());
  }

  /// It was stopped, was dead, led no more, or its connections broke.
  [[nodiscard]] const Disturbance& disturbance() const noexcept {
    return disturbance_;
  }

  /// The time of day as this process reads it.
  [[nodiscard]] Instant now() const {
    return queue_.now() + offset_;
  }

  /// What its machine's clock is wrong by from the next life on: a process
  /// reads the time of day once.
  void set_clock(Duration offset) {
    next_offset_ = offset;
  }

  void pause() {
    if (up_ && !paused_)
      disturbance_.begin(queue_.now());
    paused_ = up_;
  }

  /// @param timers_first Whether it sees its clock before what has arrived. On a
  /// real machine either may be.
  void resume(bool timers_first = false) {
    if (paused_)
      disturbance_.end(queue_.now());
    paused_ = false;
    auto backlog = std::exchange(backlog_, {});
    if (timers_first)
      std::stable_partition(backlog.begin(), backlog.end(),
                            [](const Late& x) { return x.is_timer; });
    for (const auto& x : backlog)
      run(x.life, x.what);
  }

  /// Does something in this life: now, or when the process is continued.
  void run(std::uint64_t life, const std::function<void()>& what) {
    do_or_keep({life, what, false});
  }

  void after(Duration pause, std::function<void()> what) {
    queue_.after(pause, [this, life = life_, what = std::move(what)] {
      do_or_keep({life, what, true});
    });
  }

  /// At a time of its own clock.
  void at(Instant when, std::function<void()> what) {
    after(when - now(), std::move(what));
  }

protected:
  void begin_life() {
    up_ = true;
    paused_ = false;
    disturbance_.end_all(queue_.now());
    ++life_;
    offset_ = next_offset_;
  }
  void end_life() {
    disturbance_.begin(queue_.now());
    up_ = false;
    paused_ = false;
    backlog_.clear();
  }

  [[nodiscard]] EventQueue& queue() const noexcept {
    return queue_;
  }

private:
  /// What has to wait for a process that is stopped.
  struct Late {
    std::uint64_t life = 0;
    std::function<void()> what;
    bool is_timer = false;
  };

  void do_or_keep(Late x) {
    if (!up_ || x.life != life_)
      return;
    if (paused_)
      backlog_.push_back(std::move(x));
    else
      x.what();
  }

  EventQueue& queue_;
  std::string name_;
  bool up_ = false;
  bool paused_ = false;
  std::uint64_t life_ = 0;
  Disturbance disturbance_;
  Duration offset_{};
  Duration next_offset_{};
  std::vector<Late> backlog_;
};

} // namespace stoker::simulation
