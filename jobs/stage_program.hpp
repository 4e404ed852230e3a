#pragma once

// What tasks of datasets are told: the program of their stage, and what each of them
// reads of sources. See docs/decisions/0027.

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace stoker::jobs {

/// The name of the one task function that runs all of them.
inline constexpr const char* stage_function_name = "stoker::jobs";

inline constexpr double default_memory_fraction = 0.6;

/// An operator of a stage's program.
struct ProgramNode {
  /// By which the executor's program knows it.
  std::string name;

  /// What its function holds.
  std::string state;

  /// Whose elements it takes: places in the program, before its own.
  std::vector<std::uint32_t> parents;

  /// Which of the stage's dependencies it reads; -1: none.
  std::int32_t dependency = -1;
};
BOOST_DESCRIBE_STRUCT(ProgramNode, (), (name, state, parents, dependency))

/// `FunctionCall::argument`. The last node is the one that writes.
struct StageProgram {
  std::vector<ProgramNode> nodes;

  /// How much of a task's memory tables of keys take: above 0, at most 1.
  double memory_fraction = default_memory_fraction;
};
BOOST_DESCRIBE_STRUCT(StageProgram, (), (nodes, memory_fraction))

/// What one partition of a source consists of.
struct SourceInput {
  /// The source's place in the program.
  std::uint32_t node = 0;
  std::int32_t partition = 0;

  /// A place in `LaunchTask::splits`; -1: `data` has it.
  std::int32_t split = -1;
  std::string data;
};
BOOST_DESCRIBE_STRUCT(SourceInput, (), (node, partition, split, data))

/// `LaunchTask::text`.
struct TaskInputs {
  /// Which partition of the last node but one the task computes.
  std::int32_t partition = 0;
  std::vector<SourceInput> sources;
};
BOOST_DESCRIBE_STRUCT(TaskInputs, (), (partition, sources))

} // namespace stoker::jobs
