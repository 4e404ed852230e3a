#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "process/control_protocol.hpp"
#include "process/control_server.hpp"
#include "process/directory.hpp"
#include "process/input_pipe.hpp"
#include "process/output_pump.hpp"
#include "process/spark_port.hpp"
#include "process/unique_fd.hpp"

namespace stoker::process {

/// The supervisor process: runs one program, carries its output to the logs and the
/// worker's input to it, and answers the worker. A single thread around poll(2).
///
///               end asked for, signal,           grace is over,
///               orphaned, program ended          guard died
///     running --------------------> terminating ---------------> killing
///        |                               |                          |
///        |      no descendant is left    |                          |
///        +-------------------------------+--------------------------+
///        v
///     draining ---> finished ---> exit, when the worker knows or none came
///                                 back in time
///
/// It drains until what the program wrote is in the logs. Readers of the logs are
/// not waited for. If the disk is full, a program that was told to end is not
/// waited for either.
///
/// Invariant: the process is a subreaper and does not exit before it has no
/// child, so no descendant of the program outlives it.
class Supervisor {
public:
  /// The `supervision_signals` have to be blocked.
  /// @param state Names the guard, which is the parent of this process.
  /// @param connection,received See `ControlServer`.
  Supervisor(Launch launch, State state, const Directory& directory,
             UniqueFd connection, std::string received);

  /// Returns once everything has ended.
  /// @param save_error Why the guard could not write the state down; 0: it could.
  void run(int save_error);

private:
  using Clock = std::chrono::steady_clock;
  using Instant = Clock::time_point;
  using Duration = std::chrono::milliseconds;

  enum class Stage { running, terminating, killing, draining, finished };

  // -- starting ---------------------------------------------------------------

  void begin(int save_error);
  void fork_program();

  /// Creates the program's own directory and the files that the program finds there.
  /// @return whether the program may start
  bool prepare_program_directory();

  /// Returns whether the program may start.
  bool open_spark_port();
  void could_not_start(int error, const std::string& what);

  // -- one round of the loop --------------------------------------------------

  void wait();
  [[nodiscard]] int wait_milliseconds() const;
  void handle_exec_status();
  void handle_signals();
  void handle_request(const Request& request, std::string_view data);
  void take_input(const InputPiece& piece, std::string_view data);
  void handle_timers();
  void watch_worker();
  void watch_guard();

  /// Tells the worker when output cannot be written, and when it can again.
  void watch_output();
  [[nodiscard]] int output_error() const;
  void keep_output(const KeptOutput& kept);

  // -- ending -----------------------------------------------------------------

  /// TERM to all, and KILL after `grace`. Can only bring the KILL forward.
  void terminate(Duration grace);
  void kill_all();
  /// Reaps children; drains when none is left.
  void reap();
  void begin_draining();
  void drain();
  [[nodiscard]] bool is_drained() const;
  void finish();
  [[nodiscard]] ResourceUse measured_use() const;
  [[nodiscard]] bool may_exit() const;

  /// Writes the state down and tells the worker.
  void publish();

  Launch launch_;
  State state_;
  const Directory& directory_;
  ControlServer server_;
  UniqueFd guard_;
  UniqueFd signals_;
  UniqueFd exec_status_;
  OutputPump out_;
  OutputPump err_;
  InputPipe input_;
  SparkPort spark_port_;

  Stage stage_ = Stage::running;
  /// As waitpid(2) gives it.
  std::optional<int> program_status_;
  bool guard_died_ = false;
  bool told_to_exit_ = false;
  bool acknowledged_ = false;
  /// Nobody waits for more of the output than there is.
  bool told_to_end_ = false;
  /// Of terminating.
  Instant kill_at_{};
  /// Between two rounds of killing. Grows, as some processes die slowly.
  Duration kill_pause_{1};
  /// Set while no worker is connected.
  std::optional<Instant> orphaned_at_;
  Instant finished_at_{};
};

} // namespace stoker::process
