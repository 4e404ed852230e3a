// The manager, which keeps sums and indexes, against one that goes through everything at
// each step, and what holds whatever happens.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scheduling/common/random.hpp"
#include "tests/scheduling/allocation/naive_allocation.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

/// Settings with small figures, so that all limits are met.
AllocationSettings random_settings(Random& random) {
  AllocationSettings x;
  x.min_executors = static_cast<int>(random.below(4));
  x.max_executors
      = random.below(4) == 0
            ? 2'147'483'647
            : x.min_executors + 1 + static_cast<int>(random.below(20));
  if (random.below(2) == 0)
    x.initial_executors = static_cast<int>(random.below(30));
  if (random.below(4) == 0)
    x.executor_instances = static_cast<int>(random.below(10));
  const double ratios[] = {1, 1, 0.5, 0.33, 0.1};
  x.ratio = ratios[random.below(5)];
  x.backlog_timeout = std::chrono::seconds{1 + random.below(3)};
  if (random.below(2) == 0)
    x.sustained_backlog_timeout = std::chrono::seconds{1 + random.below(3)};
  x.idle_timeout = std::chrono::seconds{random.below(6)};
  if (random.below(2) == 0)
    x.cached_idle_timeout = std::chrono::seconds{random.below(20)};
  x.executor_cores = 1 + static_cast<int>(random.below(5));
  x.task_cores = 1
                 + static_cast<int>(
                     random.below(static_cast<std::size_t>(x.executor_cores)));
  return x;
}

/// Events in any order: also of what is not there, again, and too late.
class RandomEvents {
public:
  explicit RandomEvents(std::uint64_t seed) : random_(seed) {
  }

  Random& random() noexcept {
    return random_;
  }

  void remember(const AllocationActions& actions) {
    for (const auto& x : actions)
      unanswered_.push_back(x);
  }

  Instant next_time() {
    switch (random_.below(200)) {
    case 0:
      return now_ -= std::chrono::hours{random_.below(100'000)};
    case 1:
      return now_ += std::chrono::hours{random_.below(100'000)};
    case 2:
      return now_ -= std::chrono::milliseconds{random_.below(5000)};
    default:
      return now_ += std::chrono::milliseconds{random_.below(4) * 250};
    }
  }

  AllocationEvent next() {
    auto kind = random_.below(20);
    if (kind < 5)
      return AllocationTick{};
    if (kind < 9)
      return answer();
    if (kind < 12)
      return TaskBegan{task(), below(2), below(26), below(5) == 0};
    if (kind < 15)
      return TaskOver{task(), static_cast<TaskOutcome>(below(3))};
    if (kind == 15)
      return stage_event();
    if (kind == 16) {
      if (below(3) == 0)
        return SpeculationDropped{stage(), below(8)};
      return SpeculationWanted{stage(), below(8)};
    }
    if (kind < 19)
      return ExecutorJoined{below(26)};
    return executor_event();
  }

private:
  int below(std::size_t bound) {
    return static_cast<int>(random_.below(bound));
  }

  StageAttempt stage() {
    return {StageId{below(3)}, below(2)};
  }

  TaskAttempt task() {
    return {StageId{below(3)}, below(8), below(2)};
  }

  AllocationEvent stage_event() {
    if (below(3) == 0)
      return StageEnded{stage()};
    StageSubmitted x{stage(), below(below(10) == 0 ? 1000 : 12), {}};
    for (auto hosts = below(3); hosts > 0; --hosts) {
      x.locality.tasks += below(3);
      x.locality.by_host[std::string(1, static_cast<char>('a' + below(4)))]
          += below(3);
    }
    std::erase_if(x.locality.by_host,
                  [](const auto& host) { return host.second == 0; });
    return x;
  }

  AllocationEvent executor_event() {
    switch (below(6)) {
    case 0:
    case 1:
      return ExecutorLeft{below(26)};
    case 2:
    case 3:
      return BlockStored{below(26), below(3), below(2)};
    case 4:
      return BlockDropped{below(26), below(3), below(2)};
    default:
      return DatasetUnpersisted{below(3)};
    }
  }

  /// Of what was asked: mostly one that is open, late, out of order, sometimes twice.
  AllocationEvent answer() {
    if (unanswered_.empty() || below(20) == 0)
      return WantTotalAnswered{random_.below(100), true};
    auto i = unanswered_.begin()
             + static_cast<std::ptrdiff_t>(random_.below(unanswered_.size()));
    auto action = *i;
    if (below(10) != 0)
      unanswered_.erase(i);
    if (const auto* total = std::get_if<WantTotal>(&action))
      return WantTotalAnswered{total->number, below(4) != 0};
    const auto& end = std::get<EndIdle>(action);
    EndIdleAnswered x{end.number, {}};
    for (auto id : end.exec_ids)
      if (below(4) != 0)
        x.exec_ids.push_back(id);
    if (below(10) == 0)
      x.exec_ids.push_back(below(26));
    return x;
  }

  Random random_;
  Instant now_ = from_ms(1'000'000'000'000);
  std::vector<AllocationAction> unanswered_;
};

void require_equal(const AllocationAction& actual,
                   const AllocationAction& expected) {
  REQUIRE(actual.index() == expected.index());
  if (const auto* total = std::get_if<WantTotal>(&actual)) {
    const auto& other = std::get<WantTotal>(expected);
    REQUIRE(total->number == other.number);
    REQUIRE(total->total == other.total);
    REQUIRE(*total->locality == *other.locality);
  } else {
    const auto& end = std::get<EndIdle>(actual);
    REQUIRE(end.number == std::get<EndIdle>(expected).number);
    REQUIRE(end.exec_ids == std::get<EndIdle>(expected).exec_ids);
  }
}

void require_equal(const AllocationActions& actual,
                   const AllocationActions& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    require_equal(actual[i], expected[i]);
}

void require_promises(const AllocationSettings& settings,
                      const AllocationStatus& x,
                      const AllocationActions& actions) {
  REQUIRE(x.target >= settings.min_executors);
  // A start above the most is given up as the load needs less, and not grown.
  REQUIRE(x.target
          <= std::max(settings.max_executors, initial_target(settings)));
  REQUIRE(x.next_increment >= 1);
  REQUIRE(x.leaving >= 0);
  REQUIRE(x.leaving <= x.executors);
  for (const auto& action : actions)
    if (const auto* end = std::get_if<EndIdle>(&action)) {
      auto stay = x.executors - x.leaving
                  - static_cast<std::int64_t>(end->exec_ids.size());
      REQUIRE(stay >= settings.min_executors);
      REQUIRE(stay >= x.target);
    }
}

/// What histories have to contain, so that they prove anything.
struct Seen {
  int grown = 0;
  int ended = 0;
  int doubled = 0;
};

void compare(std::uint64_t seed, Seen& seen) {
  RandomEvents events{seed};
  auto settings = random_settings(events.random());
  REQUIRE(validate(settings));
  AllocationManager manager{settings};
  NaiveAllocation naive{settings};
  auto now = events.next_time();
  auto actions = manager.start(now);
  require_equal(actions, naive.start(now));
  for (int i = 0; i < 400; ++i) {
    events.remember(actions);
    now = events.next_time();
    auto event = events.next();
    INFO("seed " << seed << ", event " << i << " of kind " << event.index());
    auto before = manager.status();
    actions = manager.step(now, event);
    require_equal(actions, naive.step(now, event));
    auto after = manager.status();
    REQUIRE(after == naive.status());
    require_promises(settings, after, actions);
    // Not after an answer: a lower total that is refused is taken back.
    if (std::holds_alternative<AllocationTick>(event)
        && after.target > before.target)
      REQUIRE(after.target <= settings.max_executors);
    seen.grown += after.target > before.target ? 1 : 0;
    seen.doubled += after.next_increment > 2 ? 1 : 0;
    for (const auto& action : actions)
      seen.ended += std::holds_alternative<EndIdle>(action) ? 1 : 0;
  }
}

} // namespace

TEST_CASE("sums and indexes decide as lists do that are gone through at each "
          "step",
          "[allocation][random]") {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed)
    compare(seed, seen);
  CHECK(seen.grown > 2000);
  CHECK(seen.ended > 2000);
  CHECK(seen.doubled > 1000);
}

namespace {

/// A history whose events come each 100 ms, just after Spark's manager would have looked:
/// one manager is ticked each time, the other when it says. What they ask for is answered
/// by then, or some time later.
class TickedWhenDue {
public:
  explicit TickedWhenDue(std::uint64_t seed)
      : events_(seed), settings_(random_settings(events_.random())),
        each_time_(settings_), when_due_(settings_) {
    take(each_time_.start(now_), when_due_.start(now_));
  }

  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      now_ += AllocationManager::interval;
      INFO("round " << i);
      tick();
      // Long times in which nothing happens, and short ones in which much does.
      if (busy_)
        for (auto left = events_.random().below(4); left > 0; --left)
          happen(events_.next());
      if (events_.random().below(20) == 0)
        busy_ = !busy_;
      REQUIRE(when_due_.status() == each_time_.status());
    }
  }

  [[nodiscard]] int ticks() const noexcept {
    return ticks_;
  }
  [[nodiscard]] int actions() const noexcept {
    return actions_;
  }

private:
  void tick() {
    auto expected = each_time_.step(now_, AllocationTick{});
    AllocationActions actual;
    if (auto due = when_due_.next_due(); due && *due <= now_) {
      ++ticks_;
      actual = when_due_.step(now_, AllocationTick{});
    }
    take(actual, expected);
  }

  void happen(const AllocationEvent& event) {
    if (std::holds_alternative<AllocationTick>(event))
      return;
    auto actual = when_due_.step(now_, event);
    take(actual, each_time_.step(now_, event));
  }

  void take(const AllocationActions& actual,
            const AllocationActions& expected) {
    require_equal(actual, expected);
    events_.remember(actual);
    actions_ += static_cast<int>(actual.size());
  }

  RandomEvents events_;
  AllocationSettings settings_;
  AllocationManager each_time_;
  AllocationManager when_due_;
  Instant now_ = from_ms(1'000'000'000'000);
  bool busy_ = true;
  int ticks_ = 0;
  int actions_ = 0;
};

} // namespace

TEST_CASE("a manager that is ticked when it says decides as one that is ticked "
          "each 100 ms",
          "[allocation][random]") {
  constexpr int rounds = 1000;
  constexpr int histories = 500;
  auto ticks = 0;
  auto actions = 0;
  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    INFO("seed " << seed);
    TickedWhenDue history{seed};
    history.run(rounds);
    ticks += history.ticks();
    actions += history.actions();
  }
  CHECK(actions > 10 * histories);
  // Of those that are needed not many change nothing.
  CHECK(ticks < 2 * actions);
  CHECK(ticks < rounds * histories / 10);
}
