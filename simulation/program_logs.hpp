#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "messages/output.hpp"
#include "messages/resource_use.hpp"
#include "scheduling/worker/output_readers.hpp"
#include "scheduling/worker/output_source.hpp"
#include "scheduling/worker/worker_config.hpp"
#include "simulation/process.hpp"
#include "simulation/program_output.hpp"
#include "simulation/stats.hpp"

namespace stoker::simulation {

/// The logs of executors on a machine whose applications read them, and the OUTPUT of the
/// worker there. It has the product's OutputReaders and output_part, and imitates
/// actors/output.cpp. The logs stay when the worker dies.
class ProgramLogs {
public:
  using Answer = std::function<void(OutputResponse)>;

  /// A request, with what the worker knows of each position.
  struct Question {
    RequestOutput request;
    std::vector<std::optional<OutputSource>> sources;
    Answer answer;
  };

  ProgramLogs(Process& worker, const EventQueue& queue, Stats& stats)
      : worker_(worker), queue_(queue), stats_(stats) {
  }

  /// A worker's process begins.
  void begin_life(const WorkerConfig& config);

  // -- programs and their supervisors -----------------------------------------

  /// A supervisor begins to keep what its program writes.
  void add(const ExecutorId& id, const OutputPlan& plan,
           const WorkerConfig& config);
  void begin(const ExecutorId& id);
  void told_to_end(const ExecutorId& id);

  /// The processes of a program are gone.
  /// @param lost Its supervisor, too.
  void end(const ExecutorId& id, bool lost);

  /// Removes bytes of an executor that has ended from the disk.
  void damage_any(std::int64_t which, std::int64_t bytes);

  /// Returns null if it writes nothing that is read.
  [[nodiscard]] const ProgramOutput* find(const ExecutorId& id) const;

  /// Returns true if the program has to wait before it can exit.
  [[nodiscard]] bool has_more(const ExecutorId& id);
  [[nodiscard]] std::optional<ResourceUse> use_of(const ExecutorId& id) const;

  // -- what the worker says ---------------------------------------------------

  void ask(Question x);
  void started(const ProgramId& id, bool is_read);

  /// @param unread How many bytes it wrote, if its application reads them.
  void ended(const ProgramId& id, std::int64_t unread);
  void taken(const ExecutorId& id);
  void left(const AppId& app);

private:
  struct Waiting {
    Question question;
    Instant until;
  };

  void tell_changes();
  void look();
  void ask_for_look();
  [[nodiscard]] OutputPart read_part(const OutputPosition& position,
                                     const OutputSource& source,
                                     std::int64_t limit);

  /// Returns std::nullopt if there is nothing to tell yet.
  [[nodiscard]] std::optional<OutputResponse> try_to_answer(const Question& x);

  Process& worker_;
  const EventQueue& queue_;
  Stats& stats_;

  /// On the machine's disk.
  std::map<ExecutorId, ProgramOutput> outputs_;

  // These belong to one life of the worker.
  std::optional<OutputReaders> readers_;
  std::list<Waiting> waiting_;
  bool looks_ = false;
};

} // namespace stoker::simulation
