#pragma once

#include <cstdint>
#include <string>

#include "messages/result.hpp"
#include "scheduling/leadership/leadership.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// Where a leader commits what must outlive it. Used by one thread. After an
/// error nothing of the failed call is stored, nothing that was stored is lost,
/// and the journal can be tried again. Its codes are `fenced`, `full`, `io`,
/// `corrupt` and `too_new`.
class Journal {
public:
  Journal() = default;
  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Begins a new leadership: commits its epoch (`next_epoch`), and loads. From
  /// then on commits of other journals on the same store fail as fenced.
  /// `master_url` is for people; `at_ms` is the time, since 1970.
  virtual Result<Leadership> lead(const std::string& master_url,
                                  std::int64_t at_ms)
      = 0;

  /// Commits all of the changes, in order, or none. When it returns they
  /// survive the loss of the process and of power.
  /// @pre `lead` has succeeded
  virtual Status commit(const Changes& changes) = 0;

  /// Fails if a commit would, because the lead is another's now or the store is
  /// gone. Stores nothing.
  /// @pre `lead` has succeeded
  virtual Status check() = 0;
};

} // namespace stoker
