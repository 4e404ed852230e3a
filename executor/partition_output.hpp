#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "executor/line_router.hpp"
#include "messages/job_ids.hpp"
#include "outputs/partition_collector.hpp"

namespace stoker::executor {

/// Partitions that become an output, which other tasks read. Finishing commits it. Fails as
/// `PartitionCollector`.
class PartitionOutput : public PartitionSink {
public:
  /// @param directory The application's, which its worker serves.
  /// @param exec_id The executor that this process is.
  static Result<std::shared_ptr<PartitionOutput>>
  open(const std::filesystem::path& directory, const TaskAttempt& attempt,
       int exec_id, std::int32_t partitions);

  Status append(std::int32_t partition, std::string_view bytes) override;
  Status finish() override;

  /// The bytes of each partition, once it is finished.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept {
    return sizes_;
  }

private:
  explicit PartitionOutput(PartitionCollector collector);

  PartitionCollector collector_;
  std::vector<std::uint64_t> sizes_;
};

} // namespace stoker::executor
