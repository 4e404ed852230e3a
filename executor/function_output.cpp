#include "executor/function_output.hpp"

#include <utility>

#include "executor/part_file.hpp"
#include "executor/partition_output.hpp"
#include "executor/result_output.hpp"

namespace stoker::executor {

namespace {

Error no_program() {
  return invalid("what a function emits cannot be its executor's own output");
}

} // namespace

FunctionOutput::FunctionOutput(const ExecutorIdentity& executor,
                               const DescribeStage& stage,
                               const TaskAttempt& id)
    : executor_(executor), stage_(stage), id_(id) {
}

FunctionOutput::~FunctionOutput() = default;

Status FunctionOutput::write(int partition, std::string_view bytes) {
  if (state_)
    state_ = try_write(partition, bytes);
  return state_;
}

Status FunctionOutput::finish(TaskStatus& status) {
  if (state_)
    state_ = try_finish(status);
  return state_;
}

Status FunctionOutput::try_write(int partition, std::string_view bytes) {
  auto partitions
      = stage_.output == TaskOutputKind::output ? stage_.partitions : 1;
  if (partition < 0 || partition >= partitions)
    return invalid("there is no partition " + std::to_string(partition) + " of "
                   + std::to_string(partitions));
  bytes_ += static_cast<std::int64_t>(bytes.size());
  switch (stage_.output) {
  case TaskOutputKind::result:
    return add_to_result(bytes);
  case TaskOutputKind::file:
    return add_to_file(bytes);
  case TaskOutputKind::executor:
    return no_program();
  case TaskOutputKind::output:
    break;
  }
  if (auto opened = open_partitions(); !opened)
    return opened;
  return partitions_->append(partition, bytes);
}

Status FunctionOutput::try_finish(TaskStatus& status) {
  // Others read it, also if nothing is in it.
  switch (stage_.output) {
  case TaskOutputKind::result:
    status.result_is_stored = large_ != nullptr;
    if (large_)
      return large_->finish();
    status.result = std::move(small_);
    return {};
  case TaskOutputKind::file: {
    auto finished = open_file();
    if (finished)
      finished = file_->finish();
    if (finished)
      file_->hand_over();
    return finished;
  }
  case TaskOutputKind::executor:
    return no_program();
  case TaskOutputKind::output:
    break;
  }
  auto opened = open_partitions();
  return opened ? partitions_->finish() : opened;
}

Status FunctionOutput::add_to_result(std::string_view bytes) {
  if (!large_
      && small_.size() + bytes.size() <= ResultOutput::small_bytes_max) {
    small_ += bytes;
    return {};
  }
  if (!large_) {
    large_ = std::make_unique<ResultOutput>(executor_.outputs.directory, id_,
                                            executor_.exec_id,
                                            executor_.work_directory);
    auto added = large_->append(small_);
    std::string{}.swap(small_);
    if (!added)
      return added;
  }
  return large_->append(bytes);
}

Status FunctionOutput::add_to_file(std::string_view bytes) {
  auto opened = open_file();
  return opened ? file_->append(bytes) : opened;
}

Status FunctionOutput::open_file() {
  if (file_)
    return {};
  auto file = PartFile::create(stage_.directory, id_.task, id_);
  if (!file)
    return std::move(file).error();
  file_ = *std::move(file);
  return {};
}

Status FunctionOutput::open_partitions() {
  if (partitions_)
    return {};
  auto partitions = PartitionOutput::open(executor_.outputs.directory, id_,
                                          executor_.exec_id, stage_.partitions);
  if (!partitions)
    return std::move(partitions).error();
  partitions_ = *std::move(partitions);
  return {};
}

} // namespace stoker::executor
