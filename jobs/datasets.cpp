#include "jobs/datasets.hpp"

#include <filesystem>

namespace stoker::jobs {

Result<Dataset<std::string_view>>
Datasets::text_files(const std::vector<std::string>& globs,
                     const TextOptions& options) const {
  if (globs.empty())
    return invalid("text_files() needs at least one name or pattern");
  if (options.split_bytes < 1)
    return invalid("split_bytes is below 1");
  std::error_code error;
  auto directory = std::filesystem::current_path(error);
  if (error)
    return Error{Errc::io,
                 "cannot find out the working directory: " + error.message()};
  auto files = find_files(globs, directory);
  if (!files)
    return std::move(files).error();
  auto splits
      = FileSplits::cut(*std::move(files), options.split_bytes, "split_bytes");
  if (!splits)
    return std::move(splits).error();
  auto partitions = splits->tasks();
  auto source = std::make_shared<Source>();
  source->files = *std::move(splits);
  return from<ReadLines>("text_files", std::move(source), partitions);
}

Dataset<std::int64_t> Datasets::range(std::int64_t begin, std::int64_t end,
                                      int partitions) const {
  partitions = partitions_of(partitions);
  auto count = std::max(begin, end) - begin;
  auto source = std::make_shared<Source>();
  source->data = [begin, count, partitions](int partition) {
    auto [first, last] = share_of(count, partition, partitions);
    return to_bytes(RangeShare{begin + first, begin + last});
  };
  return from<ReadRange>("range", std::move(source), partitions);
}

int Datasets::partitions_of(int wanted) const {
  if (wanted > 0)
    return wanted;
  auto usual = runner_->default_partitions();
  return usual > 0 ? usual : std::max(1, runner_->cores());
}

} // namespace stoker::jobs
