#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/task.hpp"

namespace stoker {

/// Servers of outputs, by a number for each.
class OutputServers {
public:
  struct Server {
    OutputServer address;
    WorkerId worker_id;

    /// By which executors of its machine are known, and the places of tasks: it may
    /// serve at another address.
    std::string host;
  };

  /// The number of an executor's server; one that is new gets the next.
  int number_of(const RegisterExecutor& x);

  [[nodiscard]] const Server& operator[](int number) const {
    return servers_[static_cast<std::size_t>(number)];
  }

  /// Those of a worker: one that was started again has another one.
  [[nodiscard]] std::vector<int> of(const WorkerId& worker_id) const;

private:
  std::vector<Server> servers_;
  std::map<std::string, int> by_id_;
  std::multimap<WorkerId, int> by_worker_;
};

/// Where the outputs of one stage are, by the task that wrote them.
///
/// Invariants: `missing()` places are empty. A version belongs to one state of the
/// places.
class StageOutputTable {
public:
  explicit StageOutputTable(int tasks)
      : places_(static_cast<std::size_t>(tasks)), missing_(tasks) {
  }

  [[nodiscard]] int missing() const noexcept {
    return missing_;
  }

  /// Counts the changes.
  [[nodiscard]] int version() const noexcept {
    return version_;
  }

  /// An attempt's output is there.
  void add(TaskAttempt x, int server);

  /// Nothing: that of the attempt is not what is known.
  std::optional<int> server_of(TaskAttempt x) const;

  /// Nothing: there is none.
  [[nodiscard]] std::optional<int> server_of_task(int task) const;

  /// It is lost. Returns how often the task's output has been lost by now.
  /// @pre server_of(x)
  int lose(TaskAttempt x);

  /// All is of no use: no place is known any more.
  void clear();

  /// All that is there. Returns of which tasks.
  std::vector<int> lose_server(int server);

  /// For those who read them; the same one as long as nothing changes.
  [[nodiscard]] std::shared_ptr<const StageOutputs>
  to_message(StageId stage, const OutputServers& servers);

private:
  void clear_place(std::size_t task);

  std::vector<OutputPlace> places_;
  int missing_;
  int version_ = 0;

  /// How often an output was lost by itself, of those that were.
  std::map<int, int> losses_;
  std::shared_ptr<const StageOutputs> message_;
};

} // namespace stoker
