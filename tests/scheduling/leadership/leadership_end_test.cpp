// What observers see of the end of a leadership: scheduling/leadership/master_logic.hpp.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "scheduling/master/snapshot.hpp"
#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;

namespace {

/// Keeps the steps of a master.
struct SeenSteps : StepObserver {
  struct Seen {
    Instant at;
    Event event;
    RecoveryState after{};
    bool has_effects = false;
  };

  void stepped(const Cluster& cluster, const EndpointId&, const Event& event,
               const StepResult& result) override {
    steps.push_back({cluster.now(), event, cluster.status(),
                     !result.changes.empty() || !result.messages.empty()
                         || result.wake_at});
  }

  [[nodiscard]] std::vector<Seen> ends() const {
    std::vector<Seen> result;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(result),
                 [](const auto& x) {
                   return std::holds_alternative<LeadershipEnded>(x.event);
                 });
    return result;
  }

  std::vector<Seen> steps;
};

} // namespace

TEST_CASE("the end of a leadership is a step that says why, and has no effects",
          "[leadership]") {
  SeenSteps seen;
  Leader x{true, &seen};
  CHECK(seen.ends().empty());
  const auto later = now + Duration{700};
  std::string why = "the disk is full";
  SECTION("when a commit fails") {
    x.take(x.logic.ask(now, 5, submission()));
    x.take(x.logic.on(later, BatchCommitted{x.term, Error{Errc::full, why}}));
  }
  SECTION("when the lead is lost") {
    why = "the lock was taken away";
    x.take(x.logic.on(later, ElectionLost{x.term, why}));
  }
  SECTION("when a look at the store fails") {
    why = "another leads now";
    x.take(
        x.logic.on(later, LeadershipChecked{x.term, Error{Errc::fenced, why}}));
  }
  auto ends = seen.ends();
  REQUIRE(ends.size() == 1);
  CHECK(seen.steps.back().event == Event{LeadershipEnded{why}});
  CHECK(ends[0].at == later);
  CHECK(ends[0].after == RecoveryState::STANDBY);
  CHECK_FALSE(ends[0].has_effects);
  CHECK(snapshot(x.logic.cluster().state()).workers.empty());
  CHECK(x.logic.cluster().epoch() == LeaderEpoch{});
}

TEST_CASE("a leadership that could not begin does not end, either",
          "[leadership]") {
  SeenSteps seen;
  Host x{true, &seen};
  x.take(x.logic.start());
  x.take(x.logic.on(ElectionWon{x.term}));
  x.take(x.logic.on(now, LeadershipBegun{x.term, Error{Errc::io, "no disk"}}));
  x.take(x.logic.on(ElectionWon{x.term}));
  x.take(x.logic.on(now, ElectionLost{x.term, "gone"}));
  CHECK(seen.steps.empty());
}
