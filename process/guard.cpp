#include "process/guard.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

#include "process/cgroup.hpp"
#include "process/process_tree.hpp"
#include "process/supervision_signals.hpp"

namespace stoker::process {

namespace {

std::string describe(int status) {
  if (WIFSIGNALED(status))
    return "the supervisor was killed by signal "
           + std::to_string(WTERMSIG(status));
  return "the supervisor exited with status "
         + std::to_string(WEXITSTATUS(status));
}

/// Reaps all that have died. Returns whether children are left.
bool reap_children() {
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0)
    ;
  return pid == 0 || errno != ECHILD;
}

} // namespace

Guard::Guard(const Directory& directory, std::string cgroup, pid_t supervisor,
             std::chrono::milliseconds stop_grace)
    : directory_(directory), cgroup_(std::move(cgroup)),
      supervisor_(supervisor), stop_grace_(stop_grace) {
}

void Guard::run() {
  auto status = wait_for_supervisor();
  end_descendants();
  record_loss(status);
  directory_.remove_socket();
}

int Guard::wait_for_supervisor() {
  for (;;) {
    look_after_stopped();
    auto signal = wait_for_signal();
    if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
      ::kill(supervisor_, SIGTERM);
    // Descendants come here only when the supervisor has died, so it is the
    // first child to be reaped.
    int status = 0;
    if (::waitpid(supervisor_, &status, WNOHANG) == supervisor_)
      return status;
  }
}

int Guard::wait_for_signal() {
  // Blocked since before the fork, see `supervise_main`: none is missed. The kernel sends
  // SIGCHLD also when a child is stopped, or continues.
  auto set = supervision_signals();
  if (!kill_at_)
    return ::sigwaitinfo(&set, nullptr);
  using namespace std::chrono;
  auto left = std::max(ceil<milliseconds>(*kill_at_ - Clock::now()),
                       milliseconds::zero());
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(floor<seconds>(left).count());
  timeout.tv_nsec = nanoseconds{left % seconds{1}}.count();
  return ::sigtimedwait(&set, nullptr, &timeout);
}

void Guard::look_after_stopped() {
  auto entry = read_process(supervisor_);
  if (!entry || !entry->stopped)
    return kill_at_.reset();
  auto now = Clock::now();
  if (!kill_at_)
    kill_at_ = now + stop_grace_;
  // No other process has its pid before it is waited for.
  if (now >= *kill_at_)
    ::kill(supervisor_, SIGKILL);
}

void Guard::end_descendants() {
  using std::chrono::milliseconds;
  constexpr milliseconds pause_max{200};
  milliseconds pause{1};
  while (reap_children()) {
    kill_cgroup(cgroup_);
    signal_descendants(SIGKILL);
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, pause_max);
  }
  remove_cgroup(cgroup_);
}

void Guard::record_loss(int status) {
  auto loaded = directory_.load();
  auto* state = std::get_if<State>(&loaded);
  if (state == nullptr || is_final(state->phase))
    return;
  state->phase = Phase::lost;
  state->message = describe(status);
  directory_.save(*state);
}

} // namespace stoker::process
