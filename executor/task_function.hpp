#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "executor/barrier_port.hpp"
#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "messages/task.hpp"

namespace stoker::executor {

/// What a function that is a task reads and writes. For the one thread that runs it.
class FunctionTask {
public:
  FunctionTask() = default;
  virtual ~FunctionTask() = default;

  FunctionTask(const FunctionTask&) = delete;
  FunctionTask& operator=(const FunctionTask&) = delete;

  [[nodiscard]] virtual const TaskAttempt& id() const = 0;

  /// `FunctionCall::argument`: of all tasks of the stage.
  [[nodiscard]] virtual const std::string& argument() const = 0;

  /// `LaunchTask::text`: bytes, of this task.
  [[nodiscard]] virtual const std::string& text() const = 0;

  /// `LaunchTask::splits`. The function opens these files itself.
  [[nodiscard]] virtual const std::vector<InputSplit>& splits() const = 0;

  /// Reads what the stage's dependency of that index holds for this task: its partition
  /// of all outputs (shuffle), or the whole output of its own number (narrow). Bytes
  /// are handed on before their checksum is known: all of it is right only once this has
  /// returned success. A dependency may be read several times.
  ///
  /// Returns what `take` returns if that fails. If an output cannot be read, the task
  /// ends as one that could not read its input, whatever its function returns.
  virtual Status read(std::size_t dependency,
                      const std::function<Status(std::string_view)>& take)
      = 0;

  /// The same of a partition of any number, of a dependency that is a shuffle: fails with
  /// `Errc::invalid_request` if it is none. @pre there is such a partition
  virtual Status read(std::size_t dependency, int partition,
                      const std::function<Status(std::string_view)>& take)
      = 0;

  /// Adds bytes to the end of a partition of the output (0 for results and files), in any
  /// order of partitions. After an error the task fails, whatever its function
  /// returns. Fails with `Errc::full` or `Errc::io`, and with
  /// `Errc::invalid_request` if there is no such partition.
  virtual Status write(int partition, std::string_view bytes) = 0;

  /// The task's share, by its cores, of the memory that its executor was given, in
  /// bytes. Nobody measures what it takes.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;

  /// For files that are gone with the task. They have no name there, so that nothing
  /// is left of them whatever becomes of this process.
  [[nodiscard]] virtual const std::string& scratch_directory() const = 0;

  /// By which it waits for the other tasks of its stage; null: that is no barrier stage.
  [[nodiscard]] virtual BarrierPort* barrier() const {
    return nullptr;
  }

  /// Requested when the task is to end: its function returns early then, with any error.
  [[nodiscard]] virtual std::stop_token stop_token() const = 0;
};

/// Success: all that was written counts. An error fails the task with its message.
using TaskFunction = std::function<Status(FunctionTask&)>;

/// How the names of Stoker's own functions begin. Nobody knows these by name: their
/// errors say all.
inline constexpr const char* own_functions_prefix = "stoker::";

/// The functions of a program that can be tasks, by name. Filled before the program runs
/// as executor, and then only read.
class TaskFunctions {
public:
  /// Fails with `Errc::in_use` if another function has that name, or one that cannot be
  /// compared: only a plain function may be added again.
  Status add(std::string name, TaskFunction function);

  /// Null: there is none.
  [[nodiscard]] const TaskFunction* find(const std::string& name) const;

private:
  std::map<std::string, TaskFunction, std::less<>> functions_;
};

} // namespace stoker::executor
