#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "messages/result.hpp"

namespace stoker::executor {

/// Where a program's standard output goes. One thread at a time uses it. What it takes
/// counts only after `finish`. It may wait, for a disk or a reader: the program then
/// waits as well, and a kill is noticed afterwards.
class OutputSink {
public:
  OutputSink() = default;
  virtual ~OutputSink() = default;

  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  /// Takes bytes, which follow those before. An error fails the task.
  virtual Status append(std::string_view bytes) = 0;

  /// All of the output was appended, and the program ended well with it. An error fails
  /// the task.
  virtual Status finish() = 0;
};

/// Reads what is in a non-blocking pipe. Returns how many bytes; 0: there are none at
/// present.
Result<std::size_t> read_from_pipe(int pipe, std::span<char> buffer);

} // namespace stoker::executor
