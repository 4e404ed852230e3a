#pragma once

#include <string>

#include <SQLiteCpp/Exception.h>

#include "storage/journal.hpp"

namespace stoker {

/// What an error of SQLite means for the journal at `path`, and what to do.
/// `system_error` is the `errno` that the last call to the system has left, or 0:
/// disk quotas and limits are told by it alone, and SQLite itself does not keep
/// it for failed writes.
JournalError to_journal_error(const SQLite::Exception& problem,
                              const std::string& path, int system_error = 0);

/// A journal that holds what cannot be read. Nothing of it was changed.
JournalError corrupt_journal(const std::string& path,
                             const std::string& problem);

/// A call to the system that failed with `system_error`.
JournalError system_failure(const std::string& path, int system_error);

} // namespace stoker
