#include "executor/running_task.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace stoker::executor {

namespace {

using std::chrono::milliseconds;

/// How long processes that outlive their program have between TERM and KILL.
constexpr milliseconds leftover_grace{1'000};

/// Between two looks at dead processes of a program that runs.
constexpr milliseconds reap_pause{1'000};

constexpr milliseconds pause_max{50};

/// How often one pipe is looked at before it is the others' turn.
constexpr int looks_max = 8;

/// A process that forks can slip through one look at /proc; hardly through two.
constexpr int empty_looks_needed = 2;

/// What a program itself came to.
TaskOutcome outcome_of(int status) {
  if (WIFSIGNALED(status))
    return Signalled{WTERMSIG(status)};
  return Exited{WEXITSTATUS(status)};
}

} // namespace

RunningTask::RunningTask(TaskThread& thread, TaskProgram program,
                         TaskControl& control)
    : thread_(thread), program_(std::move(program)), control_(control),
      input_(std::move(program_.input)), errors_(program_.error_bytes_kept) {
  assert(validate(program_));
}

TaskEnd RunningTask::run(const std::function<void()>& started) {
  started_at_ = Clock::now();
  reap_at_ = started_at_ + reap_pause;
  look_at_control();
  if (failure_ || !start())
    return result();
  started();
  while (stage_ != Stage::ended) {
    wait();
    look_at_control();
    feed();
    take_while_busy(&RunningTask::take_output);
    take_while_busy(&RunningTask::take_errors);
    look_at_tree();
  }
  take_rest(&RunningTask::take_output);
  take_rest(&RunningTask::take_errors);
  return result();
}

// -- starting -----------------------------------------------------------------

Status RunningTask::open_output() {
  if (program_.output || !program_.open_output)
    return {};
  auto opened = program_.open_output();
  if (!opened)
    return std::move(opened).error();
  program_.output = *std::move(opened);
  return {};
}

int RunningTask::open_pipes() {
  auto error = program_.inherits_output ? 0 : open_pipe(err_, OwnEnd::read);
  if (error == 0 && program_.output)
    error = open_pipe(out_, OwnEnd::read);
  return error == 0 ? input_.open() : error;
}

bool RunningTask::start() {
  auto could_not = [this](int error, std::string path, bool in_directory) {
    fail(CouldNotStart{error, std::move(path), in_directory});
    return false;
  };
  if (auto status = open_output(); !status) {
    fail(OutputFailed{std::move(status).error()});
    return false;
  }
  const auto& name = program_.arguments.front();
  if (auto error = open_pipes(); error != 0)
    return could_not(error, name, false);
  // What fits into the pipe needs no waiting later.
  feed();
  if (failure_)
    return false;
  auto null = thread_.null.get();
  auto marker = thread_.trees.begin(thread_.slot);
  ProgramDescriptors descriptors{
      input_.program_end() >= 0 ? input_.program_end() : null,
      out_.write_end ? out_.write_end.get() : null, err_.write_end.get()};
  if (program_.inherits_output) {
    descriptors.out = STDOUT_FILENO;
    descriptors.err = STDERR_FILENO;
  }
  auto started = thread_.starter.start(program_, marker, descriptors);
  input_.program_runs();
  if (auto* x = std::get_if<StartFailure>(&started)) {
    thread_.trees.cancel(thread_.slot);
    return could_not(x->error,
                     x->in_directory ? program_.working_directory : name,
                     x->in_directory);
  }
  auto& x = std::get<StartedProgram>(started);
  pid_ = x.pid;
  process_ = std::move(x.process);
  thread_.trees.started(thread_.slot, pid_);
  if (x.directory_error != 0)
    errors_.append("stoker: cannot enter '" + program_.working_directory
                   + "': " + ::strerror(x.directory_error) + "\n");
  return true;
}

// -- one round of the loop ----------------------------------------------------

void RunningTask::wait() {
  // poll(2) skips those that are negative.
  std::array<pollfd, 5> fds;
  fds.fill({-1, POLLIN, 0});
  if (!exited_)
    fds[0].fd = process_.get();
  if ((!exited_ || input_.checking()) && !failure_)
    fds[1].fd = control_.descriptor();
  // The write ends are open here as well, so that pipes wake nobody when a program ends.
  fds[2].fd = out_.read_end.get();
  fds[3].fd = err_.read_end.get();
  fds[4] = input_.awaited();
  ::poll(fds.data(), fds.size(), wait_milliseconds());
  exited_ = exited_ || fds[0].revents != 0;
}

int RunningTask::wait_milliseconds() const {
  auto left = reap_pause;
  if (stage_ == Stage::ending)
    left = std::chrono::ceil<milliseconds>(kill_at_ - Clock::now());
  // Nobody is told when a process ends that is no child.
  if (stage_ == Stage::killing || exited_)
    left = std::min(left, pause_);
  return static_cast<int>(std::max(left, milliseconds::zero()).count());
}

void RunningTask::look_at_control() {
  if ((exited_ && !input_.checking()) || failure_)
    return;
  if (auto reason = control_.reason())
    fail(Killed{std::move(*reason)});
}

void RunningTask::feed() {
  auto status = exited_ ? input_.stop() : Status{};
  if (status)
    status = input_.feed();
  if (!status)
    fail(InputFailed{std::move(status).error()});
}

void RunningTask::take_while_busy(Take take) {
  for (int i = 0; i < looks_max; ++i)
    if ((this->*take)() < new_pipe_bytes)
      return;
}

void RunningTask::take_rest(Take take) {
  // No more than the pipe can hold: a process of whose task nobody knows may still write.
  for (std::size_t total = 0; total < busy_pipe_bytes;) {
    auto taken = (this->*take)();
    if (taken == 0)
      return;
    total += taken;
  }
}

std::size_t RunningTask::take_output() {
  auto pipe = out_.read_end.get();
  if (pipe < 0)
    return 0;
  auto taken = read_from_pipe(pipe, thread_.buffer);
  if (!taken) {
    fail(OutputFailed{std::move(taken).error()});
    return 0;
  }
  // After a failure the program may go on writing until it has ended.
  if (*taken > 0 && !failure_) {
    auto status = program_.output->append({thread_.buffer.data(), *taken});
    if (!status)
      fail(OutputFailed{std::move(status).error()});
    else
      output_bytes_ += *taken;
  }
  if (*taken == new_pipe_bytes)
    enlarge_pipe(pipe);
  return *taken;
}

std::size_t RunningTask::take_errors() {
  auto pipe = err_.read_end.get();
  if (pipe < 0)
    return 0;
  auto taken = read_from_pipe(pipe, thread_.buffer);
  if (!taken)
    return 0;
  errors_.append({thread_.buffer.data(), *taken});
  return *taken;
}

void RunningTask::look_at_tree() {
  if (exited_ || stage_ == Stage::killing)
    pause_ = std::min(2 * pause_, pause_max);
  if (!exited_)
    reap_now_and_then();
  else if (stage_ == Stage::running && thread_.trees.nothing_is_left())
    end_if_checked();
  else
    look_at_leftovers();
  if (stage_ == Stage::killing
      || (stage_ == Stage::ending && Clock::now() >= kill_at_))
    kill_tree();
}

void RunningTask::look_at_leftovers() {
  if (!thread_.trees.left_of(thread_.slot).empty()) {
    empty_looks_ = 0;
    end_tree(leftover_grace);
  } else if (++empty_looks_ >= empty_looks_needed) {
    end_if_checked();
  }
}

void RunningTask::end_if_checked() {
  // Without a good end it does not matter what the program got.
  if (!input_.checking() || failure_ || !exited_well())
    stage_ = Stage::ended;
}

void RunningTask::reap_now_and_then() {
  auto now = Clock::now();
  if (now < reap_at_)
    return;
  reap_at_ = now + reap_pause;
  if (!thread_.trees.nothing_is_left())
    static_cast<void>(thread_.trees.left_of(thread_.slot));
}

// -- ending -------------------------------------------------------------------

void RunningTask::fail(TaskOutcome outcome) {
  if (!failure_)
    failure_ = std::move(outcome);
  if (pid_ != 0 && !exited_)
    end_tree(program_.kill_grace);
}

void RunningTask::end_tree(Duration grace) {
  if (stage_ != Stage::running)
    return;
  stage_ = Stage::ending;
  kill_at_ = Clock::now() + grace;
  auto all = thread_.trees.all_of(thread_.slot);
  // A stopped process does not notice a TERM.
  for (auto signal : {SIGTERM, SIGCONT})
    for (const auto& entry : all)
      process::send_signal(entry.id, signal);
}

void RunningTask::kill_tree() {
  stage_ = Stage::killing;
  // The whole group at once: none of it can fork meanwhile.
  ::kill(-pid_, SIGKILL);
  for (const auto& entry : thread_.trees.all_of(thread_.slot))
    process::send_signal(entry.id, SIGKILL);
}

bool RunningTask::exited_well() const {
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(process_.get()), &info,
           WEXITED | WNOHANG | WNOWAIT);
  return info.si_code == CLD_EXITED && info.si_status == 0;
}

TaskEnd RunningTask::result() {
  TaskEnd result;
  if (pid_ != 0) {
    auto reaped = thread_.trees.reap(thread_.slot);
    result.outcome = outcome_of(reaped.status);
    result.cpu_ms = reaped.cpu_ms;
    result.peak_memory_mb = reaped.peak_memory_mb;
  }
  if (failure_)
    result.outcome = std::move(*failure_);
  if (succeeded(result) && program_.output)
    if (auto status = program_.output->finish(); !status)
      result.outcome = OutputFailed{std::move(status).error()};
  result.last_errors = errors_.take();
  result.input_bytes = input_.bytes();
  result.output_bytes = output_bytes_;
  result.duration
      = std::chrono::duration_cast<Duration>(Clock::now() - started_at_);
  return result;
}

} // namespace stoker::executor
