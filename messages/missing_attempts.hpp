#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stoker {

/// Starts of a driver in a row whose output is lost, as a whole or in part, for one line about
/// all of them.
class MissingAttempts {
public:
  /// Adds an attempt.
  /// @param problem Why the output is lost
  /// @param bytes How much of it is lost; 0: all that it wrote, however much
  /// @return What is to be said of those that were added before, if that is of another kind
  std::optional<std::string> add(int attempt, const std::string& problem,
                                 std::int64_t bytes = 0);

  /// What is to be said of those that were added since the last call; nothing: there are
  /// none.
  std::optional<std::string> take();

private:
  int first_ = 0;
  int last_ = 0;

  /// Of the first; empty: there is none.
  std::string problem_;

  /// The sum for all attempts; 0: not known.
  std::int64_t bytes_ = 0;
};

} // namespace stoker
