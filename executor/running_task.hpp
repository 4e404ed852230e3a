#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "executor/input_feeder.hpp"
#include "executor/pipe.hpp"
#include "executor/program_starter.hpp"
#include "executor/tail_buffer.hpp"
#include "executor/task_control.hpp"
#include "executor/task_end.hpp"
#include "executor/task_program.hpp"
#include "executor/task_trees.hpp"
#include "process/unique_fd.hpp"

namespace stoker::executor {

/// What one thread needs to run tasks, one after the other.
struct TaskThread {
  TaskTrees& trees;
  /// Of the task, among those of `trees`.
  int slot = 0;
  ProgramStarter starter;
  /// For what passes through memory.
  std::vector<char> buffer;
  /// /dev/null, to read and to write.
  process::UniqueFd null;
};

/// Runs one task. A single thread around poll(2).
///
///               killed, input or output failed,        grace is over
///               program exited and left something
///     running --------------------------------> ending -------------> killing
///        |                                        |                      |
///        |   program exited, and nothing is left  |                      |
///        +----------------------------------------+----------------------+
///        v
///      ended
class RunningTask {
public:
  RunningTask(TaskThread& thread, TaskProgram program, TaskControl& control);

  /// Returns once nothing of the task is left. All signals have to be blocked on this
  /// thread.
  /// @param started Called when the program runs.
  TaskEnd run(const std::function<void()>& started);

private:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::milliseconds;

  enum class Stage { running, ending, killing, ended };

  // -- starting ---------------------------------------------------------------

  Status open_output();
  /// Returns 0 or `errno`.
  int open_pipes();
  bool start();

  // -- one round of the loop --------------------------------------------------

  void wait();
  [[nodiscard]] int wait_milliseconds() const;
  void look_at_control();
  void feed();
  /// Takes some of what the program writes. Returns how many bytes.
  std::size_t take_output();
  std::size_t take_errors();
  using Take = std::size_t (RunningTask::*)();
  void take_while_busy(Take take);
  void take_rest(Take take);
  void look_at_tree();
  /// A long-lived program may leave many dead processes.
  void reap_now_and_then();

  // -- ending -----------------------------------------------------------------

  /// The first reason counts.
  void fail(TaskOutcome outcome);
  /// TERM to all, and KILL after a grace.
  void end_tree(Duration grace);
  void kill_tree();
  void look_at_leftovers();
  void end_if_checked();
  /// Whether it has exited with 0.
  [[nodiscard]] bool exited_well() const;
  TaskEnd result();

  TaskThread& thread_;
  TaskProgram program_;
  TaskControl& control_;

  InputFeeder input_;
  Pipe out_;
  Pipe err_;
  TailBuffer errors_;
  std::uint64_t output_bytes_ = 0;

  process::UniqueFd process_;
  pid_t pid_ = 0;
  /// It has, and is not reaped yet: its pid stays its own.
  bool exited_ = false;

  Stage stage_ = Stage::running;
  std::optional<TaskOutcome> failure_;
  Clock::time_point started_at_{};
  Clock::time_point reap_at_{};
  Clock::time_point kill_at_{};
  /// Between two looks at what is left. Grows, as some processes end slowly.
  Duration pause_{1};
  int empty_looks_ = 0;
};

} // namespace stoker::executor
