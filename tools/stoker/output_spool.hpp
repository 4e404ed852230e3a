#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "process/unique_fd.hpp"

namespace stoker {

/// Keeps what instances have written until its turn comes, in a file without a name. Memory
/// has a few bytes for each instance, however much they write and in however small pieces.
/// Used by one thread.
class OutputSpool {
public:
  /// @param directory The directory of the file, which is created when it is needed.
  explicit OutputSpool(std::string directory)
      : directory_(std::move(directory)) {
  }

  /// Adds bytes that instance `index` wrote.
  /// @return Fails with `Errc::full` or `Errc::io`; what was added before stays.
  Status append(int index, bool standard_error, std::string_view bytes);

  /// Calls `write` with all that an instance has written, in order, and forgets it.
  /// @return Fails with `Errc::io` if the file cannot be read.
  Status
  take(int index,
       const std::function<void(bool standard_error, std::string_view)>& write);

  /// Returns true if nothing is kept.
  [[nodiscard]] bool empty() const noexcept {
    return chains_.empty();
  }

  /// Returns the first instance of which something is kept. @pre `!empty()`
  [[nodiscard]] int first() const {
    return chains_.begin()->first;
  }

private:
  /// Where the records of an instance begin and end; each names the next one.
  struct Chain {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  std::string directory_;
  process::UniqueFd file_;
  std::int64_t end_ = 0;
  std::map<int, Chain> chains_;
};

} // namespace stoker
