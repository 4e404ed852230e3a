#pragma once

// REQUIRE_REPLAYS and CHECK_REPLAYS for tests with Catch2, of version 2 or 3:
//
//     TEST_CASE("what happened on Friday happens again") {
//       REQUIRE_REPLAYS("logs/friday.log");
//     }
//
// docs/develop/replay.md tells where such logs come from.

#include <string>

#include "storage/replay.hpp"
#include "storage/task_replay.hpp"

// Whichever is installed, unless the test has included it in its own way.
#ifndef CATCH_VERSION_MAJOR
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
#endif

namespace stoker::testing {

/// Steps all files of the log that `path` belongs to, of a master or of a task
/// scheduler. Returns the first difference, or why the log cannot be replayed, in one
/// line; or nothing.
inline std::string replay_problem(const std::string& path) {
  auto kind = log_kind(path);
  if (!kind)
    return kind.error().message;
  auto problem_of = [](const auto& replay) {
    return replay ? replay->problem() : replay.error().message;
  };
  return *kind == LogKind::master ? problem_of(replay_file(path))
                                  : problem_of(replay_task_log_file(path));
}

} // namespace stoker::testing

/// Fails, and ends the test, unless each step of the log at `path` has the
/// same effects as when it was recorded.
#define REQUIRE_REPLAYS(path)                                                  \
  REQUIRE(stoker::testing::replay_problem(path) == "")

/// The same; the test goes on.
#define CHECK_REPLAYS(path) CHECK(stoker::testing::replay_problem(path) == "")
