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
std::optional<int> executor_main(int argc, char** argv);

} // namespace stoker::jobs
