#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "messages/job_ids.hpp"
#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// Results of tasks until they are taken, in any order: in memory as long as they are
/// few, and in a file without a name beyond that. May be used by any thread.
class ResultStore {
public:
  /// In memory, of all results.
  static constexpr std::size_t memory_bytes_max = std::size_t{32} << 20;

  /// @param directory Of the file.
  explicit ResultStore(std::string directory)
      : directory_(std::move(directory)) {
  }

  /// Adds bytes to the result of an attempt. Fails with `Errc::full` or `Errc::io`.
  Status append(const TaskAttempt& id, std::string_view bytes);

  /// Forgets it.
  void drop(const TaskAttempt& id);

  /// Takes the result of an attempt, piece by piece, and forgets it. Returns what
  /// `take` returns if that fails, or fails with `Errc::io`.
  Status take(const TaskAttempt& id,
              const std::function<Status(std::string_view)>& take);

private:
  /// In memory, or in the file.
  struct Piece {
    std::string bytes;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  using Pieces = std::vector<Piece>;

  Status append_to_file(Pieces& pieces, std::string_view bytes);

  /// Takes what was kept of an attempt out.
  Pieces extract(const TaskAttempt& id);

  /// Gives back the room of what is not needed any more.
  void free(const Piece& piece);

  std::string directory_;
  std::mutex mutex_;
  std::map<TaskAttempt, Pieces> results_;
  std::size_t memory_ = 0;
  process::UniqueFd file_;
  std::uint64_t file_end_ = 0;
};

} // namespace stoker
