#include "tools/simulation/fresh.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/simulation/attempt.hpp"

namespace stoker::simulation {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Hours = std::chrono::duration<double, std::ratio<3600>>;

constexpr auto progress_interval = std::chrono::seconds{10};
constexpr int poll_ms = 500;

/// A seed takes milliseconds. A seed that computes for longer does not end.
constexpr auto hangs_after = std::chrono::seconds{30};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler sets it.
volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
  interrupted = 1;
}

/// Returns how long a process has computed: it may wait for processors that others use.
std::chrono::nanoseconds computed_by(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0
      || ::clock_gettime(clock, &time) != 0)
    return {};
  return std::chrono::seconds{time.tv_sec}
         + std::chrono::nanoseconds{time.tv_nsec};
}

/// What a process of the run says of a seed. Smaller than PIPE_BUF, so it is read whole.
struct Record {
  std::uint64_t index;
  std::int64_t simulated_ms;
  bool failed;
};

/// A process that runs every `jobs`-th seed of each scenario.
struct Job {
  pid_t process = 0;
  int records = -1;

  /// The seed that it runs now, and how long the process had computed before.
  std::uint64_t next = 0;
  std::chrono::nanoseconds computed_before{};
  bool hangs = false;
};

struct Tally {
  std::uint64_t seeds = 0;
  std::uint64_t failures = 0;
  Duration simulated{};
};

class FreshRun {
public:
  explicit FreshRun(const FreshSeeds& what)
      : what_(what), tallies_(what.scenarios.size()) {
  }

  int run() {
    std::signal(SIGINT, interrupt);
    std::signal(SIGTERM, interrupt);
    std::cout << "base " << what_.base << " (run again with --base "
              << what_.base << ")" << std::endl;
    jobs_.resize(static_cast<std::size_t>(what_.jobs));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].next = i * what_.scenarios.size();
      start(jobs_[i]);
    }
    while (is_running() && !is_over()) {
      take_records();
      kill_hanging();
      print_progress();
    }
    stop_jobs();
    print_summary();
    if (failures() > 0)
      return 1;
    return interrupted != 0 ? 130 : 0;
  }

private:
  // -- seeds ------------------------------------------------------------------

  [[nodiscard]] std::size_t scenario_of(std::uint64_t index) const {
    return index % what_.scenarios.size();
  }
  [[nodiscard]] Scenario scenario(std::uint64_t index) const {
    return invent(what_.scenarios[scenario_of(index)],
                  what_.base + index / what_.scenarios.size());
  }

  /// The seed that a process runs after this one.
  [[nodiscard]] std::uint64_t after(std::uint64_t index) const {
    auto all = what_.scenarios.size();
    auto is_last = scenario_of(index) + 1 == all;
    return index + 1 + (is_last ? all * (jobs_.size() - 1) : 0);
  }

  // -- processes --------------------------------------------------------------

  void start(Job& job) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0)
      throw std::runtime_error{"no pipe can be made: "
                               + std::string{std::strerror(errno)}};
    auto child = ::fork();
    if (child < 0)
      throw std::runtime_error{"no process can be started: "
                               + std::string{std::strerror(errno)}};
    if (child == 0)
      run_seeds(job.next, pipe[1]);
    ::close(pipe[1]);
    job.process = child;
    job.records = pipe[0];
  }

  /// In a process of its own, which ends without the destructors of the one that forked.
  [[noreturn]] void run_seeds(std::uint64_t index, int out) const {
    // The run stops its processes itself. Without it they end at the next record.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGPIPE, SIG_DFL);
    for (; index < what_.count; index = after(index)) {
      auto outcome = simulation::run(scenario(index));
      Record x{index, outcome.simulated.count(), outcome.violation.has_value()};
      if (::write(out, &x, sizeof x) != sizeof x)
        ::_exit(2);
    }
    ::_exit(0);
  }

  [[nodiscard]] bool is_running() const {
    return std::any_of(jobs_.begin(), jobs_.end(),
                       [](const Job& x) { return x.process != 0; });
  }

  [[nodiscard]] bool is_over() const {
    return interrupted != 0
           || (what_.at_most && Clock::now() - began_ >= *what_.at_most
               && seeds() >= what_.at_least);
  }

  void take_records() {
    std::vector<pollfd> files;
    for (const auto& job : jobs_)
      files.push_back({job.records, POLLIN, 0});
    if (::poll(files.data(), files.size(), poll_ms) <= 0)
      return;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].revents != 0)
        take_record(jobs_[i]);
  }

  void take_record(Job& job) {
    Record x{};
    auto got = ::read(job.records, &x, sizeof x);
    if (got < 0 && errno == EINTR)
      return;
    if (got != sizeof x)
      return take_end(job);
    job.next = after(x.index);
    count(x);
    job.computed_before = computed_by(job.process);
    // The records of others have waited while a failure was reduced.
    if (x.failed)
      for (auto& other : jobs_)
        other.computed_before = computed_by(other.process);
  }

  void kill_hanging() {
    for (auto& job : jobs_)
      if (job.process != 0 && !job.hangs
          && computed_by(job.process) - job.computed_before > hangs_after) {
        job.hangs = true;
        ::kill(job.process, SIGKILL);
      }
  }

  /// A process has ended: its share has run, or an assertion broke.
  void take_end(Job& job) {
    int status = 0;
    ::close(job.records);
    ::waitpid(job.process, &status, 0);
    job.process = 0;
    job.records = -1;
    if (job.next >= what_.count || is_over())
      return;
    if (job.hangs)
      count_hanging(job.next);
    else
      count({job.next, 0, true});
    job = {0, -1, after(job.next), {}, false};
    start(job);
  }

  /// SIGKILL, because a process that has just been forked still handles SIGTERM as this
  /// one does. The processes have nothing to clean up.
  void stop_jobs() {
    for (auto& job : jobs_)
      if (job.process != 0) {
        ::kill(job.process, SIGKILL);
        ::close(job.records);
        ::waitpid(job.process, nullptr, 0);
        job.process = 0;
      }
  }

  // -- results ----------------------------------------------------------------

  void count(const Record& x) {
    auto& tally = tallies_[scenario_of(x.index)];
    ++tally.seeds;
    tally.simulated += Duration{x.simulated_ms};
    if (!x.failed)
      return;
    ++tally.failures;
    auto failing = scenario(x.index);
    auto violation
        = attempt(failing).value_or("it does not fail when it runs alone");
    auto is_new = kinds_.insert(kind_of(violation)).second;
    std::cout << "scenario " << what_.scenarios[scenario_of(x.index)]
              << std::endl;
    report_failure(failing, violation, is_new && !what_.whole,
                   [] { return interrupted != 0; });
  }

  /// It would hang again, so it is not reduced.
  void count_hanging(std::uint64_t index) {
    auto& tally = tallies_[scenario_of(index)];
    ++tally.seeds;
    ++tally.failures;
    auto failing = scenario(index);
    std::cout << "scenario " << what_.scenarios[scenario_of(index)] << "\nseed "
              << failing.seed << ": it does not end\n"
              << to_text(failing) << std::flush;
  }

  [[nodiscard]] std::uint64_t seeds() const {
    std::uint64_t result = 0;
    for (const auto& x : tallies_)
      result += x.seeds;
    return result;
  }
  [[nodiscard]] std::uint64_t failures() const {
    std::uint64_t result = 0;
    for (const auto& x : tallies_)
      result += x.failures;
    return result;
  }

  void print_progress() {
    if (Clock::now() < next_progress_)
      return;
    next_progress_ = Clock::now() + progress_interval;
    auto seconds = Seconds{Clock::now() - began_}.count();
    auto rate = static_cast<double>(seeds()) / seconds;
    auto left
        = rate > 0 ? static_cast<double>(what_.count - seeds()) / rate : 0;
    if (what_.at_most)
      left = std::clamp(static_cast<double>(what_.at_most->count()) - seconds,
                        0.0, left);
    std::cerr << seeds() << " of " << what_.count << " seeds, " << failures()
              << " failures, " << std::fixed << std::setprecision(0) << rate
              << " seeds/s, " << left / 60 << " min left" << std::endl;
  }

  void print_summary() const {
    Tally all;
    auto print = [](const std::string& name, const Tally& x) {
      std::cout << std::left << std::setw(10) << name << std::right
                << std::setw(9) << x.seeds << " seeds" << std::setw(6)
                << x.failures << " failures" << std::setw(10) << std::fixed
                << std::setprecision(1) << Hours{x.simulated}.count()
                << " simulated hours\n";
    };
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
      print(what_.scenarios[i], tallies_[i]);
      all.seeds += tallies_[i].seeds;
      all.failures += tallies_[i].failures;
      all.simulated += tallies_[i].simulated;
    }
    print("all", all);
    if (all.seeds < what_.count)
      std::cout << "stopped after " << all.seeds << " of " << what_.count
                << " seeds\n";
    std::cout << std::flush;
  }

  FreshSeeds what_;
  std::vector<Tally> tallies_;
  std::vector<Job> jobs_;

  /// Kinds of violations whose first scenario has been printed.
  std::set<std::string> kinds_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_progress_ = began_ + progress_interval;
};

} // namespace

std::uint64_t invent_base() {
  // Above the seeds that tests name, and short enough to be read aloud.
  constexpr std::uint64_t lowest = 1'000'000'000;
  constexpr std::uint64_t highest = 999'999'999'999;
  std::random_device random;
  return std::uniform_int_distribution{lowest, highest}(random);
}

int run_fresh(const FreshSeeds& what) {
  return FreshRun{what}.run();
}

} // namespace stoker::simulation
