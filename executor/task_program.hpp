#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/input_source.hpp"
#include "executor/output_sink.hpp"
#include "messages/result.hpp"

namespace stoker::executor {

/// What a task runs. Nothing here passes through a shell.
struct TaskProgram {
  /// The program and its arguments. Without a slash, the program is looked up on `PATH`
  /// of `environment`.
  std::vector<std::string> arguments;

  /// The complete environment of the program. One variable is added,
  /// `STOKER_TASK_TREE`, by which processes are recognised that the program leaves.
  std::map<std::string, std::string> environment;

  /// Where the program starts. Empty: where the executor is.
  std::string working_directory;

  /// Without that directory it is not started; else it starts where the executor is,
  /// and a note stands in its standard error.
  bool working_directory_required = true;

  /// Its standard input. Nothing: an empty one.
  std::unique_ptr<InputSource> input;

  /// Where its standard output goes. Nothing: to what `open_output` makes.
  std::shared_ptr<OutputSink> output;

  /// Makes `output` when the task begins: tasks that wait have no files open. An error
  /// fails the task. Nothing: the output goes nowhere.
  std::function<Result<std::shared_ptr<OutputSink>>()> open_output;

  /// It writes to the executor's standard output and standard error, which nobody here
  /// reads: there is no `output`, and nothing of its standard error is kept.
  bool inherits_output = false;

  /// How much of the end of its standard error is kept, in bytes.
  std::size_t error_bytes_kept = std::size_t{64} * 1024;

  /// How long it has between TERM and KILL, if it is to end.
  std::chrono::milliseconds kill_grace{1'000};

  /// How many descriptors it may have (its soft limit). 0: as many as the executor.
  std::uint64_t open_files_max = 0;
};

/// Says what is wrong with `program`, without the values of its environment.
Status validate(const TaskProgram& program);

} // namespace stoker::executor
