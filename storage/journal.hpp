#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "messages/leader_epoch.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// Why a journal cannot do what it should.
enum class JournalFault {
  /// Another leader has begun since: its epoch is in the store.
  fenced,
  /// No space is left, or a quota is used up.
  full,
  /// Reading or writing failed, or is not allowed.
  io,
  /// What is stored is damaged, or nothing of ours.
  corrupt,
  /// Written by a newer program, which this one cannot read.
  newer_version,
};

/// One line that says what is wrong and what to do.
class JournalError : public std::runtime_error {
public:
  JournalError(JournalFault fault, const std::string& sentence)
      : std::runtime_error(sentence), fault_(fault) {
  }

  [[nodiscard]] JournalFault fault() const noexcept {
    return fault_;
  }

private:
  JournalFault fault_;
};

/// The epoch of a leadership that begins at `at_ms` since 1970, after one with
/// epoch `last`. Later than all before on the same store; and, as the time of
/// day is part of it, than those on a store that was lost: workers that have
/// outlived it would not heed a lower one.
inline LeaderEpoch next_epoch(LeaderEpoch last, std::int64_t at_ms) {
  return {std::max(last.value + 1, static_cast<std::uint64_t>(
                                       std::max(at_ms, std::int64_t{0})))};
}

/// A leadership that has begun.
struct Leadership {
  LeaderEpoch epoch;

  /// What the leaders before have committed.
  StoredState stored;
};

/// Where a leader commits what must outlive it. Used by one thread. After an
/// error nothing of the failed call is stored, nothing that was stored is lost,
/// and the journal can be tried again.
class Journal {
public:
  Journal() = default;
  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Begins a new leadership: commits its epoch (`next_epoch`), and loads. From
  /// then on commits of other journals on the same store fail as fenced.
  /// `master_url` is for people; `at_ms` is the time, since 1970.
  /// @throws JournalError
  virtual Leadership lead(const std::string& master_url, std::int64_t at_ms)
      = 0;

  /// Commits all of the changes, in order, or none. When it returns they
  /// survive the loss of the process and of power.
  /// @pre `lead` has succeeded
  /// @throws JournalError
  virtual void commit(const Changes& changes) = 0;
};

} // namespace stoker
