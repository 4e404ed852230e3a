#pragma once

// Datasets as the driver knows them: a graph that never changes. A node says how each of
// its partitions is made of partitions of its parents.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/file_splits.hpp"
#include "jobs/partition_map.hpp"
#include "messages/job_ids.hpp"

namespace stoker::jobs {

struct Node;
using NodePtr = std::shared_ptr<const Node>;
class StagePlan;

/// The number of a stage whose outputs are kept as long as somebody may read them.
class StageLease {
public:
  /// @param release Called when nobody needs the stage any more.
  StageLease(StageId id, std::function<void(StageId)> release)
      : id_(id), release_(std::move(release)) {
  }

  ~StageLease() {
    release_(id_);
  }

  StageLease(const StageLease&) = delete;
  StageLease& operator=(const StageLease&) = delete;

  [[nodiscard]] StageId id() const noexcept {
    return id_;
  }

private:
  const StageId id_;
  const std::function<void(StageId)> release_;
};

/// What a source's partitions are: file splits, or bytes for its operator.
struct Source {
  std::optional<FileSplits> files;

  /// If there are no files: of a partition. May be called by any thread.
  std::function<std::string(int partition)> data;
};

/// How elements of the parent get to the partitions of a node.
struct Shuffle {
  Shuffle(std::string name, std::string state,
          std::unique_ptr<StageLease> stage_lease)
      : writer(std::move(name)), writer_state(std::move(state)),
        lease(std::move(stage_lease)) {
  }

  /// The operator that ends the stage before it.
  const std::string writer;
  const std::string writer_state;
  const std::unique_ptr<const StageLease> lease;

  // The plan of that stage, once it was needed: jobs that have it share it.
  mutable std::once_flag planned;
  mutable std::shared_ptr<const StagePlan> plan;

  /// Nodes of shuffles that it reads; they belong to its ancestors.
  mutable std::vector<const Node*> reads;
};

enum class NodeKind {
  source,
  /// Needs the partition of its own number of each parent.
  narrow,
  /// UnitedPartitions.
  united,
  /// CoalescedPartitions.
  coalesced,
  /// Reads what a stage before it wrote.
  shuffled,
};

struct Node {
  NodeKind kind = NodeKind::narrow;

  /// For people: "map".
  std::string what;

  /// Its operator, and what that holds.
  std::string name;
  std::string state;
  std::vector<NodePtr> parents;
  int partitions = 1;

  /// Its partitions are made by tasks that begin together (document 003).
  bool is_barrier = false;

  /// Its elements are pairs, and each is in the partition of its key, of so many.
  std::optional<int> keyed_by;
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Shuffle> shuffle;
  UnitedPartitions united;
  CoalescedPartitions coalesced;
};

} // namespace stoker::jobs
