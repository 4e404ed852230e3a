#include "tools/stoker/worker_fleet.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "embedding/stop_signal.hpp"
#include "tools/stoker/exit_codes.hpp"
#include "tools/stoker/options.hpp"

namespace stoker {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

/// One that fails sooner has never worked.
constexpr seconds start_time{5};

/// One that has run for so long is started again at once.
constexpr seconds stable_time{60};
constexpr seconds longest_pause{30};

struct Member {
  pid_t pid = 0;
  Clock::time_point started;

  /// Set while it is to be started again.
  std::optional<Clock::time_point> start_at;
  seconds pause{1};
  bool has_worked = false;
};

std::string text_of(int status) {
  return WIFSIGNALED(status)
             ? "by signal " + std::to_string(WTERMSIG(status))
             : "with status " + std::to_string(WEXITSTATUS(status));
}

class Fleet {
public:
  Fleet(int count, StopSignal::Hangup hangup)
      : stop_(hangup), reloads_(hangup == StopSignal::Hangup::reloads),
        members_(static_cast<std::size_t>(count)) {
    stop_.add(leave_signal);
  }

  FleetPart run() {
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (start(i))
        return {static_cast<int>(i), 0};
    while (any_left()) {
      int status = 0;
      if (auto pid = waitpid(-1, &status, WNOHANG); pid > 0) {
        ended(pid, status);
      } else if (auto signal = stop_.wait_for(std::chrono::milliseconds{50})) {
        stopping_ |= *signal != SIGHUP || !reloads_;
        pass_on(*signal);
      }
      for (std::size_t i = 0; i < members_.size(); ++i)
        if (is_due(members_[i]) && start(i))
          return {static_cast<int>(i), 0};
    }
    return {std::nullopt, exit_code_};
  }

private:
  /// Returns true in the new process.
  bool start(std::size_t i) {
    auto& member = members_[i];
    auto parent = getpid();
    member.start_at.reset();
    member.started = Clock::now();
    member.pid = fork();
    if (member.pid < 0)
      throw CommandError{exit_failure, std::string{"cannot start a process: "}
                                           + std::strerror(errno)};
    if (member.pid > 0)
      return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Ctrl-C comes once, from this process's parent.
    setpgid(0, 0);
    if (getppid() != parent)
      _exit(exit_failure);
    return true;
  }

  bool is_due(const Member& x) const {
    return !stopping_ && x.start_at && *x.start_at <= Clock::now();
  }

  [[nodiscard]] bool any_left() const {
    return std::any_of(members_.begin(), members_.end(), [this](const auto& x) {
      return x.pid > 0 || (x.start_at && !stopping_);
    });
  }

  void pass_on(int signal) const {
    for (const auto& x : members_)
      if (x.pid > 0)
        kill(x.pid, signal);
  }

  void ended(pid_t pid, int status) {
    auto i = std::find_if(members_.begin(), members_.end(),
                          [&](const auto& x) { return x.pid == pid; });
    if (i == members_.end())
      return;
    auto& member = *i;
    member.pid = 0;
    auto lived = Clock::now() - member.started;
    member.has_worked |= lived >= start_time;
    auto code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == exit_no_master || (code > 0 && stopping_))
      exit_code_ = code;
    if (stopping_ || code == 0 || code == exit_no_master)
      return;
    if (code > 0 && !member.has_worked) {
      exit_code_ = code;
      stopping_ = true;
      return pass_on(SIGTERM);
    }
    if (lived >= stable_time)
      member.pause = seconds{1};
    spdlog::warn("[worker-ended] worker {} of {} has ended {}; it is started "
                 "again in {} s",
                 i - members_.begin() + 1, members_.size(), text_of(status),
                 member.pause.count());
    member.start_at = Clock::now() + member.pause;
    member.pause = std::min(2 * member.pause, longest_pause);
  }

  StopSignal stop_;
  bool reloads_;
  std::vector<Member> members_;
  bool stopping_ = false;
  int exit_code_ = 0;
};

} // namespace

FleetPart start_fleet(int count, StopSignal::Hangup hangup) {
  return Fleet{count, hangup}.run();
}

} // namespace stoker
