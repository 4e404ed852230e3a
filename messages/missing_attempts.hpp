#pragma once

#include <optional>
#include <string>

namespace stoker {

/// Starts of a driver in a row whose output is no longer there, for one line about all of
/// them.
class MissingAttempts {
public:
  /// @param problem Why it cannot be read.
  void add(int attempt, const std::string& problem);

  /// What is to be said of those that were added since the last call; nothing: there are
  /// none.
  std::optional<std::string> take();

private:
  int first_ = 0;
  int last_ = 0;

  /// Of the first; empty: there is none.
  std::string problem_;
};

} // namespace stoker
