#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace stoker::spark {

/// What somebody sent is not what it should be: one line that says what is wrong. Ends
/// the reading of a frame; functions that a connection calls return it as a Result.
class WireError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;

  /// @param offset of the byte, counted from the start of what was read
  WireError(const std::string& problem, std::size_t offset)
      : std::runtime_error(problem + " at byte " + std::to_string(offset)) {
  }
};

} // namespace stoker::spark
