#include "process/watched_program.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>

#include "process/directory.hpp"
#include "process/output_reader.hpp"
#include "process/process_tree.hpp"

namespace stoker::process {

namespace {

/// How long ago a state says that the program has ended. Its supervisor may have no
/// clock that agrees, after a correction.
std::chrono::milliseconds age_of(const State& state) {
  auto now = milliseconds_since_1970();
  return std::chrono::milliseconds{
      std::max(std::int64_t{0}, now - state.ended_ms.value_or(now))};
}

Report final_report(const State& state, std::chrono::milliseconds ago) {
  switch (state.phase) {
  case Phase::could_not_start:
    return CouldNotStart{state.error, state.message, state.in_directory};
  case Phase::ended:
    return Ended{state.exit_code, state.signal, state.requested, state.use,
                 ago};
  default:
    return SupervisorLost{state.message};
  }
}

/// The state on disk, if it is of the launch that we mean. Fails as `read_state` does.
Result<State> load_state(const std::string& directory,
                         const std::string& token) {
  auto state = read_state(directory);
  if (state && state->token != token)
    return Error{Errc::not_found, "the state is of another launch"};
  return state;
}

} // namespace

WatchedProgram::WatchedProgram(std::string key, std::string directory,
                               State known)
    : key_(std::move(key)), directory_(std::move(directory)),
      state_(std::move(known)) {
}

WatchedProgram::Exit WatchedProgram::drop_exited(UniqueFd& process) {
  pollfd fd{process.get(), POLLIN, 0};
  if (!process || ::poll(&fd, 1, 0) <= 0)
    return Exit::none;
  siginfo_t info{};
  auto is_child = ::waitid(P_PIDFD, static_cast<id_t>(process.get()), &info,
                           WEXITED | WNOHANG)
                  == 0;
  process.reset();
  if (!is_child)
    return Exit::unknown;
  return info.si_code == CLD_EXITED && info.si_status == 0 ? Exit::with_status_0
                                                           : Exit::failed;
}

void WatchedProgram::watch(UniqueFd connection, UniqueFd guard,
                           UniqueFd supervisor) {
  connection_ = std::move(connection);
  guard_ = std::move(guard);
  held_guard_ = static_cast<bool>(guard_);
  supervisor_ = std::move(supervisor);
}

void WatchedProgram::send(const std::string& line) {
  output_ += line + "\n";
}

void WatchedProgram::handle(const Emit& emit) {
  if (leftovers_) {
    answer_input(std::nullopt);
    return sweep(emit);
  }
  flush();
  receive(emit);
  flush(); // an acknowledgement
  auto guard_exit = drop_exited(guard_);
  if (guard_exit_ == Exit::none)
    guard_exit_ = guard_exit;
  if (guard_exit != Exit::none && !reported_) {
    find_supervisor();
    // It has to end the program, and may be stopped.
    send_signal(supervisor_, SIGCONT);
  }
  if (drop_exited(supervisor_) != Exit::none)
    // It has to end what is left, and may be stopped.
    send_signal(guard_, SIGCONT);
  if (!connection_ || reported_)
    answer_input(std::nullopt);
  if (!connection_ && !guard_ && !supervisor_)
    conclude(emit);
}

bool WatchedProgram::has_stopped_guard() const {
  auto entry = guard_ ? read_process(state_.guard.pid) : std::nullopt;
  return entry && entry->stopped;
}

void WatchedProgram::prod() {
  // Who has reported has only to exit.
  if (!std::exchange(prodded_, true) && !reported_)
    return send(to_json(Request{RequestKind::hello, {}}));
  find_supervisor();
  if (supervisor_)
    send_signal(supervisor_, SIGKILL);
  else if (guard_)
    kill_guard();
  else
    connection_.reset();
}

void WatchedProgram::kill_guard() {
  // This process inherits them, and could not tell the dead ones from its other children.
  for (const auto& x : descendants_of(state_.guard.pid))
    seen_.insert(x.id);
  guard_exit_ = Exit::failed;
  send_signal(guard_, SIGKILL);
}

void WatchedProgram::find_supervisor() {
  if (supervisor_)
    return;
  if (state_.supervisor.pid == 0)
    if (auto state = load_state(directory_, state_.token))
      state_ = *std::move(state);
  // Before its state is on disk the guard has no other child. Its pid is its own for as
  // long as it is watched.
  if (state_.supervisor.pid == 0 && guard_)
    for (const auto& child : children_of(state_.guard.pid))
      state_.supervisor = child.id;
  auto entry = read_process(state_.supervisor.pid);
  if (entry && entry->id == state_.supervisor && !entry->dead)
    supervisor_ = open_process(state_.supervisor);
}

void WatchedProgram::flush() {
  while (connection_ && !output_.empty()) {
    auto n = ::send(connection_.get(), output_.data(), output_.size(),
                    MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    // A broken connection is noticed when receiving, after its last words.
    if (n < 0)
      return;
    output_.erase(0, static_cast<std::size_t>(n));
  }
}

void WatchedProgram::receive(const Emit& emit) {
  std::array<char, 4096> buffer;
  while (connection_) {
    auto n
        = ::recv(connection_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return;
    if (n <= 0)
      return connection_.reset();
    received_.append({buffer.data(), static_cast<std::size_t>(n)});
    prodded_ = false;
    while (auto line = received_.next_line()) {
      auto news = parse_news(*line);
      if (!news)
        return give_up_connection();
      if (auto* state = std::get_if<State>(&*news))
        learn(std::move(*state), emit);
      else
        learn(std::get<InputState>(*news));
    }
    if (received_.size() > line_bytes_max)
      return give_up_connection();
  }
}

void WatchedProgram::learn(State state, const Emit& emit) {
  state_ = std::move(state);
  auto is_first = !std::exchange(heard_, true);
  send_input();
  if (!supervisor_)
    supervisor_ = open_process(state_.supervisor);
  if (state_.phase == Phase::running && !std::exchange(started_, true))
    emit(Started{state_.program.pid});
  if (is_final(state_.phase)) {
    send(to_json(Request{RequestKind::acknowledge, {}}));
    if (!reported_)
      // Nobody watched when it ended.
      report_last(final_report(state_, is_first ? age_of(state_)
                                                : std::chrono::milliseconds{}),
                  emit);
  }
}

void WatchedProgram::write_input(InputToWrite input) {
  answer_input(InputTaken{known_input_.taken, known_input_.closed, {}});
  input_ = std::move(input);
  send_input();
}

void WatchedProgram::send_input() {
  // Only a supervisor that has such a program knows the request.
  if (!input_ || input_said_ || !heard_)
    return;
  if (!state_.takes_input)
    return answer_input(InputTaken{0, true, "the program reads no input"});
  Request request{RequestKind::input, {}};
  request.input = {input_->offset, input_->data.size(), input_->end};
  output_ += to_json(request) + "\n" + input_->data;
  input_said_ = true;
}

void WatchedProgram::learn(const InputState& x) {
  known_input_ = x;
  input_said_ = false;
  if (!input_)
    return;
  auto has_room_only = !x.closed && !x.problem && !input_->data.empty()
                       && x.taken <= input_->offset;
  if (has_room_only)
    return send_input();
  answer_input(InputTaken{x.taken, x.closed, x.problem});
}

void WatchedProgram::answer_input(const std::optional<InputTaken>& x) {
  if (input_)
    std::exchange(input_, std::nullopt)->taken(x);
}

void WatchedProgram::give_up_connection() {
  connection_.reset();
  send_signal(state_.supervisor, SIGTERM);
}

void WatchedProgram::conclude(const Emit& emit) {
  const auto heard_final = reported_;
  if (!reported_) {
    auto state = load_state(directory_, state_.token);
    // A program that has ended is not to count as lost because no descriptor is left.
    waits_for_state_ = !state && state.code() == Errc::io;
    if (waits_for_state_)
      return;
    if (state)
      state_ = *std::move(state);
  }
  // The word of a supervisor counts for a guard whose status is not known.
  auto all_ended = guard_exit_ == Exit::with_status_0
                   || (heard_final && guard_exit_ != Exit::failed);
  if (!all_ended || !is_final(state_.phase)) {
    leftovers_.emplace(state_, heard_ || held_guard_, seen_);
    return;
  }
  if (!reported_)
    report_last(final_report(state_, age_of(state_)), emit);
  // It comes here if the guard has ended first.
  reap(state_.supervisor);
  gone_ = true;
}

void WatchedProgram::sweep(const Emit& emit) {
  if (!leftovers_->end_round())
    return;
  gone_ = true;
  if (reported_)
    return;
  if (is_final(state_.phase))
    return report_last(final_report(state_, age_of(state_)), emit);
  state_.phase = Phase::lost;
  state_.message = "the supervisor and its guard died";
  auto opened = Directory::open(directory_);
  if (auto* directory = std::get_if<Directory>(&opened))
    directory->save(state_);
  report_last(final_report(state_, {}), emit);
}

void WatchedProgram::report_last(const Report& report, const Emit& emit) {
  assert(!reported_);
  reported_ = true;
  emit(report);
}

} // namespace stoker::process
