// How patiently a master is looked for: scheduling/registration/registration.hpp.

#include "scheduling/registration/registration.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Connect = Registration::Connect;
using Register = Registration::Register;
using GiveUp = Registration::GiveUp;
using Phase = Registration::Phase;

const Registration::Action nothing{};

Instant at(Duration x) {
  return Instant{x};
}

Registration::Action connect_to(std::size_t master) {
  return Connect{master};
}

RegistrationConfig with_masters(std::size_t n) {
  RegistrationConfig config;
  config.masters = n;
  return config;
}

/// Registered with the first of some masters at 0 s.
Registration registered_with(RegistrationConfig config) {
  Registration result{config};
  CHECK(result.start(at(0s)) == connect_to(0));
  CHECK(result.connected(at(0s)) == Registration::Action{Register{}});
  result.registered();
  return result;
}

/// The pauses between rounds while nobody can be reached, until `end`.
std::vector<Duration> pauses(RegistrationConfig config, Duration end) {
  Registration x{config};
  std::vector<Duration> result;
  auto now = at(0s);
  auto action = x.start(now);
  while (now < at(end)) {
    for (std::size_t i = 0; i < config.masters; ++i)
      action = x.failed(now, "refused");
    if (!x.due())
      return result;
    result.push_back(*x.due() - now);
    now = *x.due();
    action = x.tick(now);
  }
  return result;
}

} // namespace

TEST_CASE("all masters are tried at once, in turn, before a pause",
          "[registration]") {
  Registration x{with_masters(3)};
  CHECK(x.start(at(0s)) == connect_to(0));
  CHECK(x.failed(at(0s), "refused") == connect_to(1));
  CHECK(x.failed(at(0s), "refused") == connect_to(2));
  CHECK(x.failed(at(0s), "refused") == nothing);
  CHECK(x.phase() == Phase::pausing);
  auto due = x.due();
  REQUIRE(due);
  CHECK(x.tick(*due - 1ms) == nothing);
  CHECK(x.tick(*due) == connect_to(0));
  CHECK(x.tick(*due) == nothing);
}

TEST_CASE("pauses double up to the longest, each shortened by up to a half",
          "[registration]") {
  auto seed = GENERATE(range(1, 20));
  RegistrationConfig config;
  config.seed = static_cast<std::uint64_t>(seed);
  auto whole = config.first_pause;
  for (auto pause : pauses(config, 60s)) {
    INFO("seed " << seed << ", pause " << pause.count() << " of "
                 << whole.count());
    CHECK(pause >= whole - whole / 2);
    CHECK(pause <= whole);
    whole = std::min(whole * 2, config.longest_pause);
  }
  CHECK(whole == config.longest_pause);
}

TEST_CASE("workers with different seeds do not come back in step",
          "[registration]") {
  std::set<Duration> tenth;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RegistrationConfig config;
    config.seed = seed;
    tenth.insert(pauses(config, 60s).at(9));
  }
  CHECK(tenth.size() > 90);
}

TEST_CASE("equal seeds give equal pauses", "[registration]") {
  CHECK(pauses({}, 60s) == pauses({}, 60s));
}

TEST_CASE("the search is over after the time-out, with the reasons of the last "
          "round",
          "[registration]") {
  auto config = with_masters(2);
  config.give_up_after = 1s;
  Registration x{config};
  auto now = at(0s);
  auto action = x.start(now);
  while (x.phase() != Phase::over) {
    action = x.failed(now, "the first refuses");
    if (x.phase() == Phase::connecting)
      action = x.failed(now, "the second refuses");
    if (x.phase() == Phase::pausing) {
      now = *x.due();
      action = x.tick(now);
    }
  }
  // The last try is not made before the time is up, nor long after it.
  CHECK(now == at(1s));
  CHECK(
      action
      == Registration::Action{GiveUp{"the first refuses; the second refuses"}});
  CHECK_FALSE(x.due());
  CHECK(x.connected(at(2s)) == nothing);
  CHECK(x.failed(at(2s), "late") == nothing);
  CHECK(x.register_again(at(2s)) == nothing);
  CHECK(x.tick(at(2s)) == nothing);
}

TEST_CASE("the search is over with the refusals of the last round first",
          "[registration]") {
  auto config = with_masters(2);
  config.give_up_after = 1s;
  Registration x{config};
  CHECK(x.start(at(0s)) == connect_to(0));
  // Whoever refuses may be replaced meanwhile.
  CHECK(x.failed(at(0s), "no TLS", MasterFailure::refused) == connect_to(1));
  CHECK(x.failed(at(0s), "STANDBY") == nothing);
  CHECK(x.tick(at(1s)) == connect_to(0));
  auto refuses = GENERATE(true, false);
  CHECK(x.failed(at(1s), "another build",
                 refuses ? MasterFailure::refused : MasterFailure::unreachable)
        == connect_to(1));
  CHECK(x.failed(at(1s), "STANDBY")
        == Registration::Action{GiveUp{refuses ? "another build; STANDBY"
                                               : "STANDBY; another build"}});
}

TEST_CASE("a loss is no part of the round that follows", "[registration]") {
  auto config = with_masters(1);
  config.give_up_after = 0s;
  auto x = registered_with(config);
  CHECK(x.failed(at(1s), "replaced", MasterFailure::refused) == connect_to(0));
  CHECK(x.failed(at(1s), "dead") == Registration::Action{GiveUp{"dead"}});
}

TEST_CASE("the search begins anew with each loss", "[registration]") {
  auto config = with_masters(1);
  config.give_up_after = 10s;
  auto x = registered_with(config);
  CHECK_FALSE(x.due());
  // Long after the first search began.
  CHECK(x.failed(at(100s), "broke") == connect_to(0));
  CHECK(x.failed(at(100s), "refused") == nothing);
  CHECK(x.phase() == Phase::pausing);
  CHECK(*x.due() <= at(100s) + config.first_pause);
  CHECK(x.tick(at(110s)) == connect_to(0));
  CHECK(x.failed(at(110s), "refused")
        == Registration::Action{GiveUp{"refused"}});
}

TEST_CASE("a master in STANDBY is left for the next one", "[registration]") {
  Registration x{with_masters(2)};
  CHECK(x.start(at(0s)) == connect_to(0));
  CHECK(x.connected(at(0s)) == Registration::Action{Register{}});
  CHECK(x.failed(at(0s), "STANDBY") == connect_to(1));
}

TEST_CASE("a master that does not answer in time is left for the next one",
          "[registration]") {
  auto config = with_masters(2);
  Registration x{config};
  CHECK(x.start(at(0s)) == connect_to(0));
  CHECK(x.connected(at(1s)) == Registration::Action{Register{}});
  CHECK(x.due() == at(1s) + config.answer_timeout);
  CHECK(x.tick(at(1s) + config.answer_timeout - 1ms) == nothing);
  CHECK(x.tick(at(1s) + config.answer_timeout) == connect_to(1));
}

TEST_CASE("an answer that comes too late changes nothing", "[registration]") {
  Registration x{with_masters(1)};
  CHECK(x.start(at(0s)) == connect_to(0));
  x.registered();
  CHECK(x.phase() == Phase::connecting);
  CHECK(x.connected(at(0s)) == Registration::Action{Register{}});
  CHECK(x.connected(at(0s)) == nothing);
  CHECK(x.tick(at(10s)) == nothing);
  CHECK(x.phase() == Phase::pausing);
  x.registered();
  CHECK(x.phase() == Phase::pausing);
  CHECK(x.connected(at(10s)) == nothing);
  CHECK(x.failed(at(10s), "late") == nothing);
}

TEST_CASE("registering again uses the present connection, and is awaited",
          "[registration]") {
  auto x = registered_with(with_masters(1));
  CHECK(x.register_again(at(50s)) == Registration::Action{Register{}});
  CHECK(x.register_again(at(50s)) == nothing);
  CHECK(x.phase() == Phase::registering);
  CHECK(x.due() == at(60s));
  x.registered();
  CHECK(x.phase() == Phase::registered);
  CHECK_FALSE(x.due());
}

TEST_CASE("registering again in vain is a search of its own",
          "[registration]") {
  // The first search left one failure and long pauses behind.
  auto config = with_masters(2);
  Registration x{config};
  auto now = at(0s);
  auto action = x.start(now);
  for (int round = 0; round < 10; ++round) {
    action = x.failed(now, "refused");
    action = x.failed(now, "refused");
    now = *x.due();
    action = x.tick(now);
  }
  CHECK(x.failed(now, "refused") == connect_to(1));
  action = x.connected(now);
  x.registered();

  CHECK(x.register_again(now) == Registration::Action{Register{}});
  now += config.answer_timeout;
  CHECK(x.tick(now) == connect_to(0));
  CHECK(x.failed(now, "refused") == nothing);
  CHECK(*x.due() <= now + config.first_pause);
}

TEST_CASE("a search ends at once when no master will ever let us in",
          "[registration]") {
  auto config = with_masters(2);
  config.gives_up_when_untrusted = true;
  Registration x{config};
  CHECK(x.start(at(0s)) == connect_to(0));
  CHECK(x.failed(at(0s), "one: no", MasterFailure::untrusted) == connect_to(1));
  SECTION("all refuse") {
    CHECK(x.failed(at(0s), "two: no", MasterFailure::untrusted)
          == Registration::Action{GiveUp{"one: no; two: no"}});
  }
  SECTION("one may come") {
    CHECK(x.failed(at(0s), "dead") == nothing);
    CHECK(x.phase() == Phase::pausing);
  }
}

TEST_CASE("a search goes on when masters do not let us in that did before",
          "[registration]") {
  auto config = with_masters(1);
  config.gives_up_when_untrusted = true;
  auto x = registered_with(config);
  CHECK(x.failed(at(1s), "lost") == connect_to(0));
  CHECK(x.failed(at(1s), "no", MasterFailure::untrusted) == nothing);
  CHECK(x.phase() == Phase::pausing);
}
