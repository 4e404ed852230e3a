// Which drivers wait, run or have ended: scheduling/master/driver_table.hpp.

#include "scheduling/master/driver_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

constexpr Instant now{5ms};

StoredDriver driver(const std::string& name) {
  StoredDriver result;
  result.id = DriverId{name};
  return result;
}

DriverKey key_of(const Driver& x) {
  return DriverKey{x.stored.number};
}

/// One that waits for a worker.
DriverKey add_admitted(DriverTable& x, const std::string& name) {
  auto key = key_of(x.add(driver(name)));
  x.admit(key, std::nullopt);
  return key;
}

} // namespace

TEST_CASE("a driver waits, runs, then has ended", "[owners]") {
  DriverTable x;
  auto a = add_admitted(x, "a");
  auto b = add_admitted(x, "b");
  CHECK(x.waiting() == std::deque<DriverKey>{a, b});
  x.assign(a, WorkerKey{3});
  CHECK(x.waiting() == std::deque<DriverKey>{b});
  CHECK(x.running() == 1);
  CHECK(x.at(a).worker == WorkerKey{3});
  CHECK(x.end(a, now) == WorkerKey{3});
  CHECK(x.running() == 0);
  CHECK(x.ended() == std::map<std::uint64_t, DriverKey>{{0, a}});
  CHECK(x.at(a).stored.ended == now);
  SECTION("one that never ran may end, too") {
    CHECK_FALSE(x.end(b, now));
    CHECK(x.waiting().empty());
  }
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("the drivers that ended last are kept", "[owners]") {
  DriverTable x;
  for (const auto* name : {"a", "b", "c"})
    x.end(key_of(x.add(driver(name))), now);
  CHECK(x.find_forgettable(2, now) == x.find(DriverId{"a"}));
  CHECK(x.forget_oldest() == DriverId{"a"});
  CHECK_FALSE(x.find_forgettable(2, now));
  CHECK_FALSE(x.find(DriverId{"a"}));
  CHECK(x.find(DriverId{"b"}));
  CHECK(x.count_ever() == 3);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a driver is known by its submission for as long as that may be "
          "repeated",
          "[owners]") {
  DriverTable x;
  for (const auto* name : {"a", "b"}) {
    auto submitted = driver(name);
    submitted.submission = name;
    x.end(key_of(x.add(submitted)), now);
  }
  CHECK_FALSE(x.find_forgettable(0, now));
  CHECK(x.find_by_submission("a"));
  CHECK(x.find_forgettable(1, now + 1ms) == x.find(DriverId{"a"}));
  CHECK(x.forget_oldest() == DriverId{"a"});
  CHECK_FALSE(x.find_by_submission("a"));
  CHECK_FALSE(x.find_forgettable(1, now + 1ms));
}

TEST_CASE("no more drivers are known by their submissions than there is room "
          "for",
          "[owners]") {
  DriverTable x;
  for (std::size_t i = 0; i <= submissions_kept_max; ++i) {
    auto submitted = driver(std::to_string(i).c_str());
    submitted.submission = std::to_string(i);
    x.end(key_of(x.add(submitted)), now);
  }
  CHECK(x.find_forgettable(0, now) == x.find(DriverId{"0"}));
  CHECK(x.forget_oldest() == DriverId{"0"});
  CHECK_FALSE(x.find_forgettable(0, now));
}

TEST_CASE("a driver that was relaunched is kept until its last successor has "
          "ended",
          "[owners]") {
  DriverTable x;
  auto add = [&](const char* name, const char* submission = "") {
    auto stored = driver(name);
    stored.submission = submission;
    return key_of(x.add(std::move(stored)));
  };
  auto relaunch = [&](DriverKey key, const char* as) {
    auto next = add(as);
    x.edit(key).stored.relaunched_as = DriverId{as};
    x.end(key, now);
    return next;
  };
  auto first = add("a", "submitted");
  auto last = relaunch(relaunch(first, "b"), "c");
  CHECK_FALSE(x.find_forgettable(0, now + 1h));
  CHECK_FALSE(x.invariant_violation());
  // It keeps nothing else.
  x.end(add("d"), now);
  CHECK(x.find_forgettable(0, now) == x.find(DriverId{"d"}));
  CHECK(x.forget_oldest() == DriverId{"d"});
  CHECK_FALSE(x.find_forgettable(0, now + 1h));
  CHECK(x.last_start(first) == last);
  SECTION("its submission may be repeated after that") {
    x.end(last, now + 1min);
    CHECK(x.ended().size() == 3);
    CHECK_FALSE(x.find_forgettable(0, now + 1min));
    CHECK(x.find_forgettable(0, now + 2min) == first);
    CHECK(x.forget_oldest() == DriverId{"a"});
    CHECK(x.forget_oldest() == DriverId{"b"});
    CHECK(x.forget_oldest() == DriverId{"c"});
    CHECK(x.ended().empty());
  }
  SECTION("it is restored before its successors, or after them") {
    DriverTable restored;
    auto put = [&](DriverKey key) {
      REQUIRE(restored.restore(x.at(key).stored) != nullptr);
    };
    auto b = x.find(DriverId{"b"}).value();
    SECTION("of which the last runs") {
      put(last);
      put(first);
      put(b);
      restored.release_restored();
      CHECK_FALSE(restored.find_forgettable(0, now + 1h));
    }
    SECTION("of which the last has ended") {
      x.end(last, now);
      put(b);
      put(first);
      put(last);
      restored.release_restored();
      CHECK(restored.find_forgettable(0, now + 1h) == b);
    }
    SECTION("of which the last is not here") {
      put(first);
      put(b);
      restored.release_restored();
      CHECK(restored.find_forgettable(0, now + 1h) == first);
    }
    CHECK_FALSE(restored.invariant_violation());
  }
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE(
    "no more drivers are kept for their successors than there is room for",
    "[owners]") {
  DriverTable x;
  auto key = key_of(x.add(driver("0")));
  for (std::size_t i = 1; i <= relaunched_kept_max; ++i) {
    auto name = std::to_string(i);
    auto next = key_of(x.add(driver(name)));
    x.edit(key).stored.relaunched_as = DriverId{name};
    x.end(key, now);
    key = next;
  }
  CHECK_FALSE(x.find_forgettable(0, now));
  x.add(driver("last"));
  x.edit(key).stored.relaunched_as = DriverId{"last"};
  x.end(key, now);
  CHECK(x.find_forgettable(0, now) == x.find(DriverId{"0"}));
  CHECK(x.forget_oldest() == DriverId{"0"});
  CHECK_FALSE(x.find_forgettable(0, now));
}

TEST_CASE("a driver that was not started after all waits in its old place",
          "[owners]") {
  DriverTable x;
  auto a = add_admitted(x, "a");
  auto b = add_admitted(x, "b");
  x.assign(a, WorkerKey{3});
  x.unassign(a);
  CHECK(x.waiting() == std::deque<DriverKey>{a, b});
  CHECK(x.running() == 0);
  CHECK_FALSE(x.at(a).worker);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a driver is restored under its number, waiting or ended",
          "[owners]") {
  DriverTable x;
  auto waits = driver("a");
  waits.number = 3;
  auto over = driver("b");
  over.number = 5;
  over.ended = now;
  REQUIRE(x.restore(waits) != nullptr);
  REQUIRE(x.restore(over) != nullptr);
  CHECK(x.restore(waits) == nullptr);
  CHECK(x.is_queued(DriverKey{3}));
  x.admit(DriverKey{3}, std::nullopt);
  CHECK(x.waiting() == std::deque<DriverKey>{DriverKey{3}});
  CHECK(x.ended() == std::map<std::uint64_t, DriverKey>{{0, DriverKey{5}}});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a table of drivers notices when one is not what it was",
          "[owners]") {
  DriverTable x;
  auto a = add_admitted(x, "a");
  REQUIRE_FALSE(x.invariant_violation());
  auto& changed = x.edit(a);
  SECTION("its id") {
    changed.stored.id = DriverId{"b"};
  }
  SECTION("it waits, and has a worker") {
    changed.worker = WorkerKey{1};
  }
  SECTION("it waits, and has ended") {
    changed.stored.ended = now;
  }
  CHECK(x.invariant_violation());
}

TEST_CASE("drivers wait for a worker by turn when they have turns",
          "[owners]") {
  DriverTable x;
  auto a = key_of(x.add(driver("a")));
  auto b = key_of(x.add(driver("b")));
  CHECK(x.is_queued(a));
  CHECK(x.waiting().empty());
  x.admit(b, 1);
  x.admit(a, 2);
  CHECK(x.waiting() == std::deque<DriverKey>{b, a});
  x.assign(b, WorkerKey{3});
  x.unassign(b);
  CHECK(x.waiting() == std::deque<DriverKey>{b, a});
  x.dismiss(b);
  CHECK(x.is_queued(b));
  CHECK_FALSE(x.at(b).stored.turn);
  CHECK_FALSE(x.invariant_violation());
}
