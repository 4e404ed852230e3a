#pragma once

#include <functional>
#include <string>

namespace stoker::test {

/// Checks a recorded trace. The file alternates commands and what follows from
/// them; blank lines separate the pairs, `#` begins a comment:
///
///     at 60s tick
///     ----
///     to one: WorkerRemoved id=w1 ...
///
/// With `UPDATE_GOLDEN=1` in the environment a file that differs is rewritten,
/// and the test fails all the same: what it was checked against is gone. Read
/// the diff and commit it only if every change in it is intended.
void check_golden(const std::string& path,
                  const std::function<std::string(const std::string&)>& run);

/// The same for a file that is compared as a whole. A file that does not exist
/// is an empty one.
void check_golden_text(const std::string& path, const std::string& actual);

} // namespace stoker::test
