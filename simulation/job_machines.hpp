#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/task.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker::simulation {

/// What a task wrote, as one number that follows from what it read.
struct StoredOutput {
  std::uint64_t value = 0;
  bool is_damaged = false;
};

/// One that runs executors, and serves what they wrote.
struct Machine {
  std::string host;

  /// Counts its lives: its worker, and the server of its outputs, are others in each.
  int life = 0;
  bool is_up = true;
  Instant unreachable_until;

  /// Until then nothing can be written.
  Instant full_until;
  std::map<TaskAttempt, StoredOutput> outputs;

  [[nodiscard]] WorkerId worker_id() const {
    return WorkerId{host + '-' + std::to_string(life)};
  }
  [[nodiscard]] OutputServer server() const {
    return {host, 7000, "", worker_id().value};
  }
};

/// The machines of a driver's executors.
class Machines {
public:
  explicit Machines(int count);

  [[nodiscard]] int count() const noexcept {
    return static_cast<int>(machines_.size());
  }
  Machine& operator[](int number) {
    return machines_[static_cast<std::size_t>(number)];
  }

  /// What reading gives: a value, or why there is none.
  struct Reading {
    std::optional<std::uint64_t> value;
    bool unreachable = false;
  };
  [[nodiscard]] Reading read(Instant now, const OutputServer& server,
                             const TaskAttempt& id) const;

private:
  std::vector<Machine> machines_;
};

/// What tasks write if all goes well: of each stage and task by number.
class ExpectedValues {
public:
  void add(StageId stage, int tasks, std::vector<StageDependency> reads);

  [[nodiscard]] std::uint64_t of(StageId stage, int task);

  /// The same from what was read: the values of each stage that it reads, in order.
  [[nodiscard]] static std::uint64_t
  combine(StageId stage, int task, const std::vector<std::uint64_t>& read);

  [[nodiscard]] int tasks(StageId stage) const {
    return stages_.at(stage).tasks;
  }
  [[nodiscard]] const std::vector<StageDependency>& reads(StageId stage) const {
    return stages_.at(stage).reads;
  }

private:
  struct Known {
    int tasks = 0;
    std::vector<StageDependency> reads;
    std::map<int, std::uint64_t> values;
  };
  std::map<StageId, Known> stages_;
};

} // namespace stoker::simulation
