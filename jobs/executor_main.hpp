#pragma once

#include <optional>

namespace stoker::jobs {

/// To be called first in the main function of a program that has a Context:
///
///     int main(int argc, char** argv) {
///       if (auto code = stoker::jobs::executor_main(argc, argv))
///         return *code;
///
/// If a worker has started this process as executor, it runs tasks until it is not needed
/// any more, and returns the exit code. Otherwise it returns nothing, at once.
///
/// Stoker's warnings go to spdlog's default logger, which writes to standard output; from
/// here on it writes to standard error, unless the program has set one with a name.
std::optional<int> executor_main(int argc, char** argv);

} // namespace stoker::jobs
