#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "executor/function_slots.hpp"
#include "executor/stage_table.hpp"
#include "network/application_secret.hpp"
#include "outputs/output_service.hpp"
#include "tests/executor/support.hpp"

namespace stoker::executor::test {

/// Slots for functions, beside a worker's service of outputs, and how tasks ended.
class Functions {
public:
  /// @param names With functions that stay as long as this object.
  explicit Functions(std::map<std::string, TaskFunction> functions,
                     int slots = 1);

  FunctionSlots& slots() {
    return *slots_;
  }

  /// A stage of a function, whose number is new. What it reads was written here.
  DescribeStage stage(const std::string& function,
                      TaskOutputKind output = TaskOutputKind::result,
                      std::vector<StageDependency> reads = {});

  /// Adds the task of that number.
  TaskAttempt add(const DescribeStage& stage, int task = 0,
                  const std::string& text = {});

  /// Adds a task; many at once.
  void add(std::vector<FunctionLaunch> launches) {
    slots_->add(std::move(launches));
  }

  /// The end of a task.
  TaskStatus await(const TaskAttempt& task);

  /// Adds a task, and waits for its end.
  TaskStatus run(const DescribeStage& stage, int task = 0,
                 const std::string& text = {}) {
    return await(add(stage, task, text));
  }

  /// In the order of their ends.
  std::vector<TaskAttempt> ended();

  /// Says that attempts 0 of a stage's tasks have written outputs.
  void written(StageId stage, int tasks);

  /// Of outputs, also of large results.
  [[nodiscard]] std::string contents(const TaskAttempt& task,
                                     PartitionRange partitions) const;

  [[nodiscard]] const std::string& output_directory() const {
    return server_.directory;
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return directory_.path(name);
  }

private:
  void take();

  const AppId app_{"app-20261121074600-0001"};
  stoker::test::TemporaryDirectory directory_;
  std::unique_ptr<OutputService> service_;
  OutputServer server_;
  std::unique_ptr<OutputClient> client_;
  std::shared_ptr<StageTable> stages_;
  TaskFunctions functions_;
  std::int32_t described_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TaskStatus> ended_;
  // Last: its threads use the others.
  std::unique_ptr<FunctionSlots> slots_;
};

/// How many threads this process has.
std::size_t thread_count();

} // namespace stoker::executor::test
