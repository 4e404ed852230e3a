#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/journal.hpp"

namespace stoker {

/// Opens a store.
using JournalFactory = std::function<Result<std::unique_ptr<Journal>>()>;

/// A master's way to its store: opens it for each leadership anew, and turns
/// exceptions into errors. Used by one thread, in the order of the requests, so
/// that a commit which is under way when its leadership ends is done or refused
/// before the next leadership begins.
class JournalSession {
public:
  explicit JournalSession(JournalFactory open);

  /// As Journal::lead, on a store that is opened anew: what another leader has
  /// written since was not in the last one.
  Result<Leadership> lead(const std::string& master_url, std::int64_t at_ms);

  /// As Journal::commit.
  /// @pre `lead` has been called
  Status commit(const Changes& changes);

  /// As Journal::check.
  /// @pre `lead` has been called
  Status check();

private:
  JournalFactory open_;

  /// Null before the first leadership, and after one that could not begin.
  std::unique_ptr<Journal> journal_;
};

} // namespace stoker
