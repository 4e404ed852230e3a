#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/task_function.hpp"
#include "jobs/runner.hpp"

namespace stoker::test {

/// A task of a test: its input is given, its output is kept.
class MemoryTask : public executor::FunctionTask {
public:
  using Outputs = std::map<int, std::string>;

  TaskAttempt attempt;
  std::string argument_bytes;
  LaunchTask launch;

  /// By dependency: what each task wrote, by partition.
  std::vector<const std::vector<Outputs>*> reads;
  Outputs outputs;

  std::uint64_t memory = std::uint64_t{64} << 20;
  std::string scratch = "/tmp";

  /// How many bytes are given at once.
  std::size_t piece = 7;
  std::stop_source stop;

  [[nodiscard]] const TaskAttempt& id() const override {
    return attempt;
  }
  [[nodiscard]] const std::string& argument() const override {
    return argument_bytes;
  }
  [[nodiscard]] const std::string& text() const override {
    return launch.text;
  }
  [[nodiscard]] const std::vector<InputSplit>& splits() const override {
    return launch.splits;
  }
  Status read(std::size_t dependency,
              const std::function<Status(std::string_view)>& take) override;
  Status read(std::size_t dependency, int partition,
              const std::function<Status(std::string_view)>& take) override;
  Status write(int partition, std::string_view bytes) override;
  [[nodiscard]] std::uint64_t memory_bytes() const override {
    return memory;
  }
  [[nodiscard]] const std::string& scratch_directory() const override {
    return scratch;
  }
  [[nodiscard]] std::stop_token stop_token() const override {
    return stop.get_token();
  }
};

/// Runs jobs of datasets in this thread, and keeps what their stages wrote.
class MemoryRunner : public jobs::Runner,
                     public std::enable_shared_from_this<MemoryRunner> {
public:
  std::unique_ptr<jobs::StageLease> lease_stage() override;
  Status run(const jobs::Node& target, const jobs::Action& action,
             const TakeResult& take) override;
  [[nodiscard]] int default_partitions() const override {
    return parallelism;
  }
  [[nodiscard]] int cores() const override {
    return 3;
  }

  int parallelism = 0;

  /// Of each task, in bytes.
  std::uint64_t task_memory = std::uint64_t{64} << 20;
  std::string scratch = "/tmp";

  /// So far.
  int tasks_run = 0;
  int jobs_run = 0;
  std::vector<StageId> released;

private:
  using StageOutput = std::vector<MemoryTask::Outputs>;

  Result<MemoryTask::Outputs> run_task(const jobs::PlannedJob& job,
                                       const StageSpec& stage, int task);

  std::int32_t next_stage_ = 0;
  std::map<StageId, StageOutput> outputs_;
};

} // namespace stoker::test
