#pragma once

// What the tests of OutputProgress begin with.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduling/application/output_progress.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

inline constexpr std::int64_t mb = 1024 * 1024;

inline const AppId app{"app-1"};
inline const WorkerId w1{"w1"};
inline const WorkerId w2{"w2"};

inline OutputPart part(int exec_id, bool standard_error, std::int64_t offset,
                       std::string data, bool complete = false) {
  OutputPart result;
  result.position = about<OutputPosition>(ExecutorId{app, exec_id});
  result.position.standard_error = standard_error;
  result.position.offset = offset;
  result.end = offset + static_cast<std::int64_t>(data.size());
  result.data = std::move(data);
  result.complete = complete;
  return result;
}

/// Both streams of an executor end here, and hold nothing more.
inline OutputResponse end_of(int exec_id, std::int64_t offset = 0) {
  return {{part(exec_id, false, offset, "", true),
           part(exec_id, true, 0, "", true)}};
}

struct OutputFixture {
  OutputProgress progress;
  Instant now{};

  OutputFixture() {
    progress.is_application(app);
  }

  std::vector<RequestOutput> ask(std::int64_t room = 16 * mb) {
    return progress.next_requests(now, room);
  }

  /// The one request that is put now.
  RequestOutput ask_one() {
    auto result = ask();
    REQUIRE(result.size() == 1);
    return result.front();
  }

  std::vector<OutputNews> answer(const OutputResponse& x,
                                 const WorkerId& from = w1) {
    return progress.answered(now, from, x);
  }
};

} // namespace stoker::test
