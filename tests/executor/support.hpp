#pragma once

#include <sys/mount.h>
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "executor/collected_output.hpp"
#include "executor/task_slots.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_directory.hpp"

namespace stoker::executor::test {

using namespace std::chrono_literals;

using stoker::test::eventually;
using stoker::test::patience;

/// A temporary directory. Its destructor ends every process whose pid was written to a
/// file `pids` in it.
class ProcessDirectory : public stoker::test::TemporaryDirectory {
public:
  ~ProcessDirectory();

  [[nodiscard]] std::string pids() const {
    return path("pids");
  }
};

/// A file system of 64 KiB, mounted as long as this object lives.
class SmallDisk {
public:
  explicit SmallDisk(std::string path)
      : path_(std::move(path)), mounted_([this] {
          std::filesystem::create_directory(path_);
          return ::mount("none", path_.c_str(), "tmpfs", 0, "size=64k") == 0;
        }()) {
  }

  ~SmallDisk() {
    if (mounted_)
      ::umount2(path_.c_str(), MNT_DETACH);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const {
    return mounted_;
  }

private:
  std::string path_;
  bool mounted_;
};

/// Slots, and all that was heard of their tasks.
class Tasks {
public:
  explicit Tasks(TaskSlotsConfig config = {});

  TaskSlots& slots() {
    return *slots_;
  }

  /// Adds a task, which gets the next number; fails the test if that is refused.
  TaskAttempt add(TaskProgram program);

  /// The end of a task.
  TaskEnd await(const TaskAttempt& task);

  /// Adds a task and waits for its end.
  TaskEnd run(TaskProgram program) {
    return await(add(std::move(program)));
  }

  /// Waits until its program runs.
  void await_start(const TaskAttempt& task);

  /// All tasks whose program ran, in the order of their starts.
  std::vector<TaskAttempt> started();

  /// How often the end of a task was heard.
  std::size_t ends_of(const TaskAttempt& task);

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TaskAttempt> started_;
  std::map<TaskAttempt, std::vector<TaskEnd>> ends_;
  std::int32_t added_ = 0;
  // Last: its threads use the others.
  std::unique_ptr<TaskSlots> slots_;
};

/// A program with an environment that has a PATH.
TaskProgram program(std::vector<std::string> arguments);

/// A mode of the test program.
TaskProgram test_program(std::vector<std::string> arguments);

/// A command of the shell.
TaskProgram shell(const std::string& command);

/// Collects the output of a program, in memory.
std::shared_ptr<CollectedOutput> collect(TaskProgram& program);

/// All that was collected.
std::string text_of(const CollectedOutput& output);

/// What a program writes that reads this input; fails the test if it does not end well.
std::string output_of(TaskProgram program);

/// The pids that programs wrote to a file, once there are `count` of them.
std::vector<pid_t> await_pids(const std::string& file, std::size_t count);

/// Whether a process is gone, or dead and only waits to be reaped.
bool has_ended(pid_t pid);

/// All processes below this one, dead ones included, one line for each.
std::string processes_left();

/// How many descriptors this process has open.
std::size_t open_descriptors();

using Generator = std::mt19937;

/// A number from 0 on, and below `limit`.
inline std::size_t below(Generator& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
}

/// A sink that fails, or does what a test says.
class ScriptedSink : public OutputSink {
public:
  explicit ScriptedSink(std::function<Status(std::string_view)> append)
      : append_(std::move(append)) {
  }

  Status append(std::string_view bytes) override {
    return append_(bytes);
  }

  Status finish() override {
    return {};
  }

private:
  std::function<Status(std::string_view)> append_;
};

} // namespace stoker::executor::test
