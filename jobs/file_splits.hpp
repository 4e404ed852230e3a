#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "messages/task.hpp"

namespace stoker {

struct FoundFile {
  /// Absolute.
  std::string path;
  std::int64_t bytes = 0;
};

/// Files, cut into splits: a task reads one. Takes memory for each file, and none for
/// a task.
class FileSplits {
public:
  /// Fails if there would be more tasks than a stage may have.
  /// @param size_name What people call the size of a split, for the error.
  /// @pre there are files, of no less than 0 bytes. @pre `split_bytes` is above 0
  static Result<FileSplits> cut(std::vector<FoundFile> files,
                                std::int64_t split_bytes,
                                const std::string& size_name = "'split_mb'");

  /// At least one, if only of an empty file; others than that get none.
  [[nodiscard]] int tasks() const noexcept {
    return tasks_;
  }

  /// @pre a task's number
  [[nodiscard]] InputSplit split(int task) const;

private:
  struct Part {
    FoundFile file;
    int first_task = 0;
  };

  std::int64_t split_bytes_ = 1;
  std::vector<Part> parts_;
  int tasks_ = 0;
};

/// The files that patterns match, each once: in the patterns' order, and sorted by name
/// in each. Fails with a line about the first pattern that matches nothing, or the file
/// that is no regular one or cannot be read.
/// @param directory Absolute: where relative patterns begin.
Result<std::vector<FoundFile>> find_files(const std::vector<std::string>& globs,
                                          const std::string& directory);

} // namespace stoker
