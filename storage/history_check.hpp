#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace stoker {

/// What was found in the file of a HistoryStore.
struct HistoryFindings {
  /// What is wrong, a line each: damaged pages, and rows that make no sense.
  std::vector<std::string> problems;
  std::int64_t entries = 0;

  /// How many sums by month.
  std::int64_t sums = 0;
};

/// Reads every page and every row, whether a master uses the file or not. Changes nothing.
/// Fails when the file is not ours, newer, or too damaged.
Result<HistoryFindings> check_history(const std::string& path);

} // namespace stoker
