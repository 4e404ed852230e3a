// Room that is kept: for whom, where, and until when.

#include "scheduling/master/kept_room.hpp"

#include <algorithm>
#include <utility>

#include "scheduling/common/random.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

/// A driver and an application with the same number are two owners.
const ReservationOwner a_driver = DriverKey{1};
const ReservationOwner an_app = AppKey{1};

constexpr WorkerKey worker_1{1};
constexpr WorkerKey worker_2{2};

const ExecutorShape kept_shape{{2, 1024}, {}};

using Counts = std::map<ReservationOwner, int>;

/// For the driver one place on each worker, for the application two on the second.
KeptRoom with_four_places() {
  KeptRoom x;
  x.begin(a_driver, kept_shape, Instant{10s});
  x.begin(an_app, {{1, 512}, {{{"gpu", 1}}, {}}}, Instant{20s});
  x.add(a_driver, {worker_1, {}, {}});
  x.add(a_driver, {worker_2, {}, {}});
  x.add(an_app, {worker_2, {{"gpu", {"0"}}}, {}});
  x.add(an_app, {worker_2, {{"gpu", {"1"}}}, {}});
  return x;
}

std::vector<WorkerKey> workers_of(const std::vector<ReservedPlace>& places) {
  std::vector<WorkerKey> result;
  for (const auto& x : places)
    result.push_back(x.worker);
  return result;
}

/// Each place is one entry.
using Places = std::vector<std::pair<ReservationOwner, WorkerKey>>;

Counts count_on(const Places& places, WorkerKey worker) {
  Counts result;
  for (const auto& [owner, where] : places)
    if (where == worker)
      ++result[owner];
  return result;
}

} // namespace

TEST_CASE("what has begun keeps nothing yet", "[owners]") {
  KeptRoom x;
  CHECK(x.find(a_driver) == nullptr);
  CHECK_FALSE(x.end(a_driver));
  x.begin(a_driver, kept_shape, Instant{10s});
  REQUIRE(x.find(a_driver) != nullptr);
  CHECK(x.find(a_driver)->count() == 0);
  CHECK(x.find(a_driver)->until == Instant{10s});
  CHECK(x.find(a_driver)->shape == kept_shape);
  CHECK(x.find(an_app) == nullptr);
  CHECK(x.kept_on(worker_1).empty());
}

TEST_CASE("room is counted by worker and by whom it is kept for", "[owners]") {
  auto x = with_four_places();
  CHECK(x.kept_on(worker_1) == Counts{{a_driver, 1}});
  CHECK(x.kept_on(worker_2) == Counts{{a_driver, 1}, {an_app, 2}});
  CHECK(x.kept_on(WorkerKey{3}).empty());
  CHECK(x.all().size() == 2);
  const auto& kept = *x.find(an_app);
  CHECK(kept.count() == 2);
  auto what = kept.allotment(kept.places[1]);
  CHECK(what.size == ExecutorSize{1, 512});
  CHECK(what.resources == ResourceAddresses{{"gpu", {"1"}}});
}

TEST_CASE("all room of an owner is taken out at once, and only its own",
          "[owners]") {
  auto x = with_four_places();
  auto ended = x.end(a_driver);
  REQUIRE(ended);
  CHECK(workers_of(ended->places) == std::vector{worker_1, worker_2});
  CHECK(ended->shape == kept_shape);
  CHECK_FALSE(x.end(a_driver));
  CHECK(x.kept_on(worker_1).empty());
  CHECK(x.kept_on(worker_2) == Counts{{an_app, 2}});
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("single places are taken out, and the reservation goes on",
          "[owners]") {
  auto x = with_four_places();
  auto taken = x.take(an_app, [](const ReservedPlace& place) {
    return place.resources.at("gpu").front() == "0";
  });
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].resources == ResourceAddresses{{"gpu", {"0"}}});
  CHECK(x.find(an_app)->count() == 1);
  CHECK(x.find(an_app)->places[0].resources
        == ResourceAddresses{{"gpu", {"1"}}});
  CHECK(x.kept_on(worker_2) == Counts{{a_driver, 1}, {an_app, 1}});
  CHECK(x.take(a_driver, [](const ReservedPlace&) { return true; }).size()
        == 2);
  REQUIRE(x.find(a_driver) != nullptr);
  CHECK(x.find(a_driver)->count() == 0);
  CHECK(x.kept_on(worker_1).empty());
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("a place that is lent in part holds its rest, and is no room for an "
          "executor",
          "[owners]") {
  auto x = with_four_places();
  x.add(a_driver, {worker_2, {}, ExecutorSize{1, 256}});
  const auto& kept = *x.find(a_driver);
  CHECK(kept.count() == 2);
  CHECK(kept.partial == 1);
  CHECK(kept.allotment(kept.places.back()).size == ExecutorSize{1, 256});
  CHECK(x.kept_on(worker_2) == Counts{{a_driver, 2}, {an_app, 2}});
  CHECK_FALSE(x.invariant_violation());
  auto is_partial
      = [](const ReservedPlace& place) { return place.part.has_value(); };
  CHECK(x.take(a_driver, is_partial).size() == 1);
  CHECK(kept.count() == 2);
  CHECK(kept.partial == 0);
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("with a worker goes all that is kept there, for whomever",
          "[owners]") {
  auto x = with_four_places();
  CHECK(x.lose(worker_2) == std::vector{a_driver, an_app});
  CHECK(x.kept_on(worker_2).empty());
  CHECK(x.find(a_driver)->count() == 1);
  // It still waits for room elsewhere.
  REQUIRE(x.find(an_app) != nullptr);
  CHECK(x.find(an_app)->count() == 0);
  CHECK(x.lose(worker_2).empty());
  CHECK_FALSE(x.invariant_violation());
}

TEST_CASE("all room is kept for longer by what a master was stalled",
          "[owners]") {
  auto x = with_four_places();
  x.postpone(7s);
  CHECK(x.find(a_driver)->until == Instant{17s});
  CHECK(x.find(an_app)->until == Instant{27s});
}

TEST_CASE("whatever is kept and given back, room agrees with a plain list",
          "[owners][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random{seed};
    KeptRoom room;
    std::map<ReservationOwner, bool> begun;
    Places places;
    for (int step = 0; step < 200; ++step) {
      auto number = static_cast<std::uint32_t>(random.below(3));
      auto owner = random.below(2) == 0 ? ReservationOwner{DriverKey{number}}
                                        : ReservationOwner{AppKey{number}};
      WorkerKey worker{static_cast<std::uint32_t>(random.below(4))};
      switch (random.below(8)) {
      case 0:
        REQUIRE(room.end(owner).has_value()
                == std::exchange(begun[owner], false));
        std::erase_if(places, [&](const auto& x) { return x.first == owner; });
        break;
      case 1: {
        std::vector<ReservationOwner> losers;
        for (const auto& [who, count] : count_on(places, worker))
          losers.push_back(who);
        REQUIRE(room.lose(worker) == losers);
        std::erase_if(places,
                      [&](const auto& x) { return x.second == worker; });
        break;
      }
      case 2: {
        if (!begun[owner])
          break;
        auto there = [&](const ReservedPlace& x) { return x.worker == worker; };
        auto removed = std::erase(places, std::pair{owner, worker});
        REQUIRE(room.take(owner, there).size() == removed);
        break;
      }
      default:
        if (!std::exchange(begun[owner], true))
          room.begin(owner, kept_shape, Instant{});
        room.add(owner, {worker, {}, {}});
        places.emplace_back(owner, worker);
      }
      REQUIRE_FALSE(room.invariant_violation());
      REQUIRE((room.find(owner) != nullptr) == begun[owner]);
      REQUIRE(room.kept_on(worker) == count_on(places, worker));
    }
  }
}
