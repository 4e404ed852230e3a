#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "process/control_protocol.hpp"
#include "process/leftovers.hpp"
#include "process/line_buffer.hpp"
#include "process/monitor.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// A piece of input that a program is to read.
struct InputToWrite {
  std::int64_t offset = 0;
  std::string data;
  bool end = false;

  /// Told once what became of it.
  Monitor::InputListener taken;
};

/// The worker's view of one program.
///
///     watching ------> leaving -------> gone     the usual way
///        |               |               ^
///        |               v               |
///        +---------> sweeping -----------+       supervisor and guard died
///
/// - watching: the last report is to come;
/// - leaving: it was made, but supervisor or guard have not exited yet;
/// - sweeping: both are gone, and the guard may not have ended all processes of the
///   program; leftovers are being ended.
class WatchedProgram {
public:
  using Emit = std::function<void(const Report&)>;

  /// @param known What is known so far, at least the token.
  WatchedProgram(std::string key, std::string directory, State known);

  /// Takes the descriptors to watch; those that hold nothing count as gone.
  void watch(UniqueFd connection, UniqueFd guard, UniqueFd supervisor);

  /// Queues a line for the supervisor; `handle` sends it.
  void send(const std::string& line);

  /// Has the program read it, as soon as it can. One that still waits gives way.
  void write_input(InputToWrite input);

  void note_it_is_to_end() {
    is_to_end_ = true;
  }

  /// Returns true if it is to end, or its guard is stopped.
  [[nodiscard]] bool needs_prods() const {
    return is_to_end_ || has_stopped_guard();
  }

  /// Notes that it is prodded from now on. Returns true if that is new.
  bool begin_to_prod() {
    return !std::exchange(is_prodded_, true);
  }

  /// Notes that it is prodded no more: its supervisor may take its time again.
  void stop_prods() {
    is_prodded_ = prodded_ = false;
  }

  /// Returns true if the guard is stopped: it no longer looks after the supervisor.
  [[nodiscard]] bool has_stopped_guard() const;

  /// Has the supervisor give a sign of life. If it gave none since the last time, it is killed,
  /// also if it has never said who it is; after it the guard; then it is done without both.
  void prod();

  /// Does all that can be done now. Never blocks.
  void handle(const Emit& emit);

  [[nodiscard]] const std::string& key() const noexcept {
    return key_;
  }

  /// Whether the last report was made.
  [[nodiscard]] bool reported() const noexcept {
    return reported_;
  }

  /// Whether `handle` wants to be called again soon, whatever happens.
  [[nodiscard]] bool sweeping() const noexcept {
    return (leftovers_.has_value() || waits_for_state_) && !gone_;
  }

  /// Whether there is nothing left to watch.
  [[nodiscard]] bool gone() const noexcept {
    return gone_;
  }

  /// Of three, those that may become ready; -1 for the others.
  [[nodiscard]] int connection() const noexcept {
    return connection_.get();
  }
  [[nodiscard]] int guard() const noexcept {
    return guard_.get();
  }
  [[nodiscard]] int supervisor() const noexcept {
    return supervisor_.get();
  }

private:
  /// How a process has ended. Its status is unknown if it is no child of this process.
  enum class Exit { none, with_status_0, failed, unknown };

  /// Closes a pidfd if its process has exited, and reaps that if it is a child.
  static Exit drop_exited(UniqueFd& process);

  void flush();
  void receive(const Emit& emit);
  void learn(State state, const Emit& emit);
  void learn(const InputState& x);

  /// Says the input that waits, unless something was said that is not answered.
  void send_input();
  void answer_input(const std::optional<InputTaken>& x);
  /// The supervisor uses another protocol version; it can still be told to end.
  void give_up_connection();
  /// Opens the supervisor if it lives, by its own word, by what is on disk, or as the
  /// guard's child.
  void find_supervisor();
  void kill_guard();
  /// Supervisor and guard are gone.
  void conclude(const Emit& emit);
  void sweep(const Emit& emit);
  void report_last(const Report& report, const Emit& emit);

  std::string key_;
  std::string directory_;
  State state_;
  /// Whether `state_` came from the supervisor itself.
  bool heard_ = false;
  /// Whether the guard lived when watching began, so that pids are those of `state_`.
  bool held_guard_ = false;
  UniqueFd connection_;
  UniqueFd guard_;
  UniqueFd supervisor_;
  std::string output_;
  LineBuffer received_;

  /// Waits to be taken.
  std::optional<InputToWrite> input_;
  InputState known_input_;

  /// Whether the supervisor will say how far the input is.
  bool input_said_ = false;
  std::optional<Leftovers> leftovers_;

  /// How the guard ended. If it exited with status 0, it had ended what was left; its program
  /// can kill it, and write a final state in its place.
  Exit guard_exit_ = Exit::none;

  /// The processes that the guard had when this process killed it.
  std::set<ProcessId> seen_;
  /// Whether the state on disk could not be read, for now.
  bool waits_for_state_ = false;
  bool is_to_end_ = false;
  bool is_prodded_ = false;
  /// Whether a sign of life is to come.
  bool prodded_ = false;
  bool started_ = false;
  bool reported_ = false;
  bool gone_ = false;
};

} // namespace stoker::process
