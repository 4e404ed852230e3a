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
/// With `UPDATE_GOLDEN=1` in the environment the file is rewritten instead.
/// Read the diff and commit it only if every change in it is intended.
void check_golden(const std::string& path,
                  const std::function<std::string(const std::string&)>& run);

} // namespace stoker::test
