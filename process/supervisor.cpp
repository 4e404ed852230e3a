#include "process/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "process/cgroup.hpp"
#include "process/command.hpp"
#include "process/private_directory.hpp"
#include "process/supervision_signals.hpp"

namespace stoker::process {

namespace {

using std::chrono::milliseconds;

/// How long descendants that outlive the program have between TERM and KILL.
constexpr milliseconds leftover_grace{1'000};

/// The same for everything when no worker came back.
constexpr milliseconds orphan_kill_grace{1'000};

/// How long a supervisor that was told to exit waits for the acknowledgement.
constexpr milliseconds farewell_grace{1'000};

constexpr milliseconds kill_pause_max{200};

/// Between two tries to write to a disk that refuses.
constexpr milliseconds output_pause{200};

UniqueFd open_signals() {
  auto set = supervision_signals();
  return UniqueFd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
}

} // namespace

Supervisor::Supervisor(Launch launch, State state, const Directory& directory,
                       UniqueFd connection, std::string received)
    : launch_(std::move(launch)), state_(std::move(state)),
      directory_(directory),
      server_(std::move(connection), std::move(received),
              [this](const Request& x, std::string_view data) {
                handle_request(x, data);
              }),
      guard_(open_process(state_.guard)), signals_(open_signals()),
      out_(directory.fd(), "stdout", launch_.spec.log_bytes_max,
           launch_.spec.log_files),
      err_(directory.fd(), "stderr", launch_.spec.log_bytes_max,
           launch_.spec.log_files) {
  keep_output(launch_.spec.kept_output);
  state_.takes_input = launch_.spec.input;
}

void Supervisor::run(int save_error) {
  begin(save_error);
  for (;;) {
    out_.pump();
    err_.pump();
    watch_output();
    handle_exec_status();
    handle_signals();
    server_.handle();
    if (input_.pump())
      server_.send(input_.state());
    spark_port_.handle();
    watch_worker();
    watch_guard();
    handle_timers();
    reap();
    if (stage_ == Stage::draining)
      drain();
    // Telling it something may have shown that it is gone, and nothing else would
    // wake this process.
    watch_worker();
    if (may_exit()) {
      // If it is stopped, it would not notice that nothing is left to guard.
      send_signal(guard_, SIGCONT);
      return;
    }
    wait();
  }
}

// -- starting -----------------------------------------------------------------

void Supervisor::begin(int save_error) {
  auto listener = directory_.listen();
  if (auto* error = std::get_if<int>(&listener))
    return could_not_start(*error,
                           "listen in '" + launch_.spec.directory + "'");
  server_.listen_on(std::move(std::get<UniqueFd>(listener)));
  if (save_error != 0)
    return could_not_start(save_error,
                           "write to '" + launch_.spec.directory + "'");
  // A successor that looked here already found no state or no listener: then it counts the
  // program as lost, or waits for the end of this process.
  if (server_.worker_has_left()) {
    state_.phase = Phase::lost;
    state_.message = "its worker died before it was started";
    return;
  }
  if (!prepare_program_directory())
    return;
  for (auto* output : {&out_, &err_})
    if (auto error = output->open_log(); error != 0)
      return could_not_start(error, "create a log in '" + launch_.spec.directory
                                        + "'");
  state_.names_oldest = out_.log().names_oldest() && err_.log().names_oldest();
  if (!launch_.spec.spark_worker_port || open_spark_port())
    fork_program();
}

bool Supervisor::prepare_program_directory() {
  const auto& path = launch_.spec.own_directory();
  if (auto error = make_private_directories(path); error != 0) {
    could_not_start(error, "create directory '" + path + "'");
    return false;
  }
  auto opened = Directory::open(path);
  if (auto* error = std::get_if<int>(&opened)) {
    could_not_start(*error, "open directory '" + path + "'");
    return false;
  }
  for (const auto& [name, text] : launch_.spec.files)
    if (auto error = std::get<Directory>(opened).write(name, text);
        error != 0) {
      could_not_start(error, "write '" + name + "' in '" + path + "'");
      return false;
    }
  return true;
}

bool Supervisor::open_spark_port() {
  auto opened = SparkPort::open();
  if (auto* error = std::get_if<int>(&opened)) {
    could_not_start(*error, "listen on 127.0.0.1 for a program of Spark's");
    return false;
  }
  spark_port_ = std::move(std::get<SparkPort>(opened));
  auto& arguments = launch_.spec.arguments;
  std::replace(arguments.begin(), arguments.end(),
               std::string{spark_worker_url}, spark_port_.url());
  return true;
}

void Supervisor::fork_program() {
  auto forked = fork_command(launch_, state_.cgroup, state_.mark);
  if (auto* error = std::get_if<int>(&forked))
    return could_not_start(*error,
                           "start '" + launch_.spec.arguments.front() + "'");
  auto& command = std::get<Command>(forked);
  state_.program = identify(command.pid);
  exec_status_ = std::move(command.status);
  out_.attach(std::move(command.out));
  err_.attach(std::move(command.err));
  input_.attach(std::move(command.input));
  // The secrets in it are the program's now.
  launch_.spec.environment.clear();
}

void Supervisor::could_not_start(int error, const std::string& what) {
  state_.phase = Phase::could_not_start;
  state_.error = error;
  state_.message = "cannot " + what + ": " + std::strerror(error);
}

// -- one round of the loop ----------------------------------------------------

void Supervisor::wait() {
  std::vector<pollfd> fds;
  auto add = [&](int fd, short events = POLLIN) {
    if (fd >= 0)
      fds.push_back(pollfd{fd, events, 0});
  };
  add(signals_.get());
  add(exec_status_.get());
  add(out_.descriptor());
  add(err_.descriptor());
  add(input_.descriptor(), input_.events());
  if (!guard_died_)
    add(guard_.get());
  for (auto fd : server_.descriptors())
    add(fd);
  for (auto fd : spark_port_.descriptors())
    add(fd);
  ::poll(fds.data(), fds.size(), wait_milliseconds());
}

int Supervisor::wait_milliseconds() const {
  if (stage_ == Stage::killing)
    return static_cast<int>(kill_pause_.count());
  std::optional<Instant> next;
  auto until = [&](Instant x) { next = next ? std::min(*next, x) : x; };
  if (stage_ == Stage::terminating)
    until(kill_at_);
  if (orphaned_at_)
    until(*orphaned_at_ + launch_.spec.orphan_grace);
  if (stage_ == Stage::finished && told_to_exit_)
    until(finished_at_ + farewell_grace);
  if (state_.output_error != 0)
    until(Clock::now() + output_pause);
  if (!next)
    return -1;
  auto rest = std::chrono::ceil<milliseconds>(*next - Clock::now()).count();
  constexpr milliseconds::rep hour = 3'600'000;
  return static_cast<int>(std::clamp<milliseconds::rep>(rest, 0, hour));
}

void Supervisor::handle_exec_status() {
  StartFailure failure;
  if (!exec_status_)
    return;
  auto n = ::read(exec_status_.get(), &failure, sizeof failure);
  if (n < 0)
    return;
  exec_status_.reset();
  const auto& spec = launch_.spec;
  if (n == sizeof failure) {
    state_.in_directory = failure.in_directory;
    return could_not_start(failure.error,
                           failure.in_directory
                               ? "enter the working directory '"
                                     + spec.working_directory + "'"
                               : "start '" + spec.arguments.front() + "'");
  }
  state_.phase = Phase::running;
  publish();
}

void Supervisor::handle_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      continue; // every round reaps
    told_to_exit_ = true;
    terminate(launch_.spec.kill_grace);
  }
}

void Supervisor::handle_request(const Request& request, std::string_view data) {
  switch (request.kind) {
  case RequestKind::hello:
    // This worker has not asked for anything.
    input_.forget_waiting();
    server_.send(state_);
    break;
  case RequestKind::end:
    if (stage_ != Stage::finished && !program_status_)
      state_.requested = true;
    told_to_end_ = true;
    out_.pause(false);
    err_.pause(false);
    terminate(launch_.spec.kill_grace);
    break;
  case RequestKind::keep:
    keep_output(request.kept);
    break;
  case RequestKind::input:
    take_input(request.input, data);
    break;
  case RequestKind::acknowledge:
    acknowledged_ = stage_ == Stage::finished;
    break;
  }
}

void Supervisor::take_input(const InputPiece& piece, std::string_view data) {
  if (!state_.takes_input) {
    InputState refused;
    refused.closed = true;
    refused.problem = "the program reads no input";
    return server_.send(refused);
  }
  // Without an answer now there is one when there is room.
  if (auto taken = input_.take(piece, data))
    server_.send(*taken);
}

void Supervisor::watch_worker() {
  if (server_.connected())
    orphaned_at_.reset();
  else if (!orphaned_at_)
    orphaned_at_ = Clock::now();
}

void Supervisor::watch_guard() {
  if (guard_died_ || ::getppid() == state_.guard.pid)
    return;
  guard_died_ = true;
  kill_all();
}

void Supervisor::handle_timers() {
  auto now = Clock::now();
  if (orphaned_at_ && now >= *orphaned_at_ + launch_.spec.orphan_grace)
    terminate(orphan_kill_grace);
  if (stage_ == Stage::killing
      || (stage_ == Stage::terminating && now >= kill_at_))
    kill_all();
}

void Supervisor::keep_output(const KeptOutput& kept) {
  out_.keep_from(kept.out);
  err_.keep_from(kept.err);
  // One that is told to end may have something to say.
  out_.pause(kept.paused && !told_to_end_);
  err_.pause(kept.paused && !told_to_end_);
  // What waited may find room now, and nothing else would wake it.
  out_.pump();
  err_.pump();
}

int Supervisor::output_error() const {
  auto error = out_.log().error();
  return error != 0 ? error : err_.log().error();
}

void Supervisor::watch_output() {
  auto error = output_error();
  if (stage_ == Stage::finished || error == state_.output_error)
    return;
  state_.output_error = error;
  publish();
}

// -- ending -------------------------------------------------------------------

void Supervisor::terminate(Duration grace) {
  auto kill_at = Clock::now() + grace;
  if (stage_ == Stage::terminating)
    kill_at_ = std::min(kill_at_, kill_at);
  if (stage_ != Stage::running)
    return;
  stage_ = Stage::terminating;
  kill_at_ = kill_at;
  signal_descendants(SIGTERM);
  signal_descendants(SIGCONT); // a stopped process does not notice a TERM
}

void Supervisor::kill_all() {
  if (stage_ == Stage::draining || stage_ == Stage::finished)
    return;
  if (stage_ == Stage::killing)
    kill_pause_ = std::min(2 * kill_pause_, kill_pause_max);
  stage_ = Stage::killing;
  kill_cgroup(state_.cgroup);
  signal_descendants(SIGKILL);
}

void Supervisor::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0)
    if (pid == state_.program.pid)
      program_status_ = status;
  if (stage_ == Stage::draining || stage_ == Stage::finished)
    return;
  if (pid < 0 && errno == ECHILD)
    begin_draining();
  else if (program_status_)
    terminate(leftover_grace);
}

void Supervisor::begin_draining() {
  // Whether the program ran may still be unread if it was killed at once.
  handle_exec_status();
  spark_port_.close();
  input_.close();
  stage_ = Stage::draining;
}

void Supervisor::drain() {
  out_.drain();
  err_.drain();
  watch_output();
  auto orphaned = orphaned_at_
                  && Clock::now() >= *orphaned_at_ + launch_.spec.orphan_grace;
  if (is_drained() || told_to_end_ || told_to_exit_ || guard_died_ || orphaned)
    finish();
}

bool Supervisor::is_drained() const {
  return out_.is_empty() && err_.is_empty();
}

void Supervisor::finish() {
  stage_ = Stage::finished;
  finished_at_ = Clock::now();
  out_.close();
  err_.close();
  state_.output_error = 0;
  state_.lost_output = out_.log().dropped() + err_.log().dropped();
  state_.written = WrittenOutput{out_.log().end(), err_.log().end()};
  state_.use = measured_use();
  state_.ended_ms = milliseconds_since_1970();
  remove_cgroup(state_.cgroup);
  if (state_.phase == Phase::running) {
    auto status = program_status_.value_or(0);
    state_.phase = Phase::ended;
    if (WIFSIGNALED(status))
      state_.signal = WTERMSIG(status);
    else
      state_.exit_code = WEXITSTATUS(status);
    if (guard_died_) {
      state_.phase = Phase::lost;
      state_.message = "the guard process of the supervisor died";
    }
  }
  publish();
}

ResourceUse Supervisor::measured_use() const {
  // All children have been waited for, and theirs before: the program, what it has
  // started, and what lost its parent. This process has no other. The kernel does not
  // count here what it reaped itself, for a parent that ignores SIGCHLD; the control
  // group counts all that stayed in it.
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  auto ms = [](const timeval& x) {
    return std::int64_t{x.tv_sec} * 1000 + x.tv_usec / 1000;
  };
  constexpr std::int64_t bytes_per_mb = 1024 * 1024;
  auto peak = std::max(peak_memory(state_.cgroup).value_or(0),
                       std::int64_t{children.ru_maxrss} * 1024);
  auto of_group = std::chrono::floor<milliseconds>(
      cpu_time(state_.cgroup).value_or(std::chrono::microseconds{}));
  auto cpu_ms = std::max(std::int64_t{of_group.count()},
                         ms(children.ru_utime) + ms(children.ru_stime));
  return {cpu_ms, (peak + bytes_per_mb - 1) / bytes_per_mb,
          out_.received() + err_.received()};
}

bool Supervisor::may_exit() const {
  if (stage_ != Stage::finished)
    return false;
  if (acknowledged_)
    return true;
  auto now = Clock::now();
  if (told_to_exit_
      && (!server_.connected() || now >= finished_at_ + farewell_grace))
    return true;
  return orphaned_at_ && now >= *orphaned_at_ + launch_.spec.orphan_grace;
}

void Supervisor::publish() {
  // A state that cannot be written is still told to the worker.
  directory_.save(state_);
  server_.send(state_);
}

} // namespace stoker::process
