#include "executor/partition_output.hpp"

#include <utility>

namespace stoker::executor {

Result<std::shared_ptr<PartitionOutput>>
PartitionOutput::open(const std::filesystem::path& directory,
                      const TaskAttempt& attempt, int exec_id,
                      std::int32_t partitions) {
  // As much as comes at once: what is small then never goes through a spill file.
  auto collector = PartitionCollector::open(
      directory, attempt, exec_id, partitions, batch_bytes_of(partitions));
  if (!collector)
    return std::move(collector).error();
  return std::shared_ptr<PartitionOutput>{
      new PartitionOutput{*std::move(collector)}};
}

PartitionOutput::PartitionOutput(PartitionCollector collector)
    : collector_(std::move(collector)) {
}

Status PartitionOutput::append(std::int32_t partition, std::string_view bytes) {
  return collector_.add(partition, bytes);
}

Status PartitionOutput::finish() {
  auto sizes = collector_.commit();
  if (!sizes)
    return std::move(sizes).error();
  sizes_ = *std::move(sizes);
  return {};
}

} // namespace stoker::executor
