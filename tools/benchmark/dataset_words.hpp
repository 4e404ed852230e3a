#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "network/address.hpp"

namespace stoker::benchmark {

/// Words of a text with their numbers.
using WordCounts = std::map<std::string, std::int64_t>;

struct DatasetCount {
  WordCounts counts;

  /// From the first look at the text, with executors that are there.
  double seconds = 0;
};

/// Counts by functions of this program, on two executors of one core, which are this
/// program: its main function calls `jobs::executor_main` for `dataset_executor`. Throws
/// std::runtime_error when that fails.
DatasetCount count_by_dataset(const MasterAddress& master,
                              const std::string& text);

/// The argument of this program that makes it such an executor.
inline constexpr const char* dataset_executor = "--dataset-executor";

} // namespace stoker::benchmark
