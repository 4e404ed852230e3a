// A master's leaderships: scheduling/leadership/master_logic.hpp.

#include "scheduling/leadership/master_logic.hpp"

#include <map>
#include <random>
#include <string>

#include "scheduling/leadership/leadership_timing.hpp"
#include "tests/scheduling/leadership/played_master.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

TEST_CASE("a master contends, opens its store, then leads", "[leadership]") {
  Host x;
  x.take(x.logic.start());
  CHECK(x.taken() == Words{"contend after 0"});
  x.take(x.logic.on(ElectionWon{x.term}));
  CHECK(x.taken() == Words{"begin"});
  CHECK_FALSE(x.logic.leads());
  x.take(
      x.logic.on(now, LeadershipBegun{x.term, Leadership{LeaderEpoch{7}, {}}}));
  CHECK(x.logic.leads());
  CHECK(x.logic.cluster().status() == RecoveryState::ALIVE);
  CHECK(x.logic.cluster().epoch() == LeaderEpoch{7});
}

TEST_CASE("a leadership that cannot begin is tried again after a pause",
          "[leadership]") {
  Host x;
  x.take(x.logic.start());
  x.take(x.logic.on(ElectionWon{x.term}));
  (void)x.taken();
  auto first = x.term;
  x.take(x.logic.on(now, LeadershipBegun{first, Error{Errc::io, "no disk"}}));
  CHECK(x.taken() == Words{"resign: no disk", "contend after 1000"});
  CHECK(x.term == first + 1);
  x.take(x.logic.on(ElectionWon{x.term}));
  CHECK(x.taken() == Words{"begin"});
}

TEST_CASE("nothing is sent before what it presumes is committed",
          "[leadership]") {
  Host x;
  x.take(x.logic.start());
  x.lead();
  x.take(x.logic.hear(now, 1, worker()));
  CHECK(x.taken() == Words{"commit"});
  x.take(x.logic.ask(now, 5, submission()));
  CHECK(x.taken().empty());
  x.commit();
  // The store works on before anything is sent.
  CHECK(x.taken() == Words{"commit", "publish 2", "to 1: RegisteredWorker"});
  x.commit();
  CHECK(x.taken()
        == Words{"publish 3", "answer 5: decided", "to 1: LaunchDriver"});
}

TEST_CASE("a question about what is not committed is answered when it is",
          "[leadership]") {
  Leader x;
  x.take(x.logic.ask_after_commit(4));
  CHECK(x.taken() == Words{"answer 4: held"});
  x.take(x.logic.hear(now, 2, worker("w2")));
  CHECK(x.logic.has_uncommitted());
  x.take(x.logic.ask_after_commit(5));
  CHECK(x.taken() == Words{"commit"});
  x.commit();
  CHECK(x.taken()
        == Words{"publish 3", "to 2: RegisteredWorker", "answer 5: held"});
}

TEST_CASE("where nothing is stored, nothing waits", "[leadership]") {
  Leader x{false};
  x.take(x.logic.ask(now, 5, submission()));
  CHECK(x.taken() == Words{"answer 5: decided", "to 1: LaunchDriver"});
  CHECK(x.batches.empty());
}

TEST_CASE("a master in STANDBY refuses requests and answers questions about "
          "itself",
          "[leadership]") {
  Host x;
  x.take(x.logic.start());
  (void)x.taken();
  x.take(x.logic.ask(now, 3, submission()));
  CHECK(x.taken() == Words{"answer 3: not alive"});
  x.take(x.logic.ask_after_commit(4));
  CHECK(x.taken() == Words{"answer 4: held"});
  x.take(x.logic.hear(now, 1, worker()));
  CHECK(x.taken() == Words{"to 1: MasterInStandby"});
}

TEST_CASE("who loses the election refuses what waits, tells all peers and "
          "contends again",
          "[leadership]") {
  Leader x;
  x.take(x.logic.ask(now, 5, submission()));
  x.take(x.logic.hear(now, 2, worker("w2")));
  (void)x.taken();
  auto led = x.term;
  x.take(x.logic.on(now, ElectionLost{led, "the lock was taken away"}));
  CHECK(x.taken()
        == Words{"resign: the lock was taken away", "answer 5: not alive",
                 "to 1: MasterInStandby", "to 2: MasterInStandby", "leave 1",
                 "leave 2", "contend after 1000"});
  CHECK_FALSE(x.logic.leads());
  CHECK_FALSE(x.logic.has_uncommitted());
  CHECK(x.logic.connections().size() == 0);
  CHECK(x.logic.cluster().status() == RecoveryState::STANDBY);
  SECTION("what belongs to the ended leadership is ignored") {
    x.take(x.logic.on(now, BatchCommitted{led, {}}));
    x.take(x.logic.on(now, BatchCommitted{led, Error{Errc::full, "full"}}));
    x.take(x.logic.on(now, ElectionLost{led, "again"}));
    x.take(x.logic.on(ElectionWon{led}));
    x.take(
        x.logic.on(now, LeadershipBegun{led, Leadership{LeaderEpoch{9}, {}}}));
    CHECK(x.taken().empty());
  }
  SECTION("it may lead again") {
    x.lead(8);
    CHECK(x.logic.leads());
    CHECK(x.logic.cluster().epoch() == LeaderEpoch{8});
  }
}

TEST_CASE("a commit that fails ends the leadership", "[leadership]") {
  Leader x;
  x.take(x.logic.ask(now, 5, submission()));
  x.take(x.logic.ask(now, 6, submission()));
  (void)x.taken();
  x.commit(Error{Errc::full, "the disk is full"});
  CHECK(x.taken()
        == Words{"resign: the disk is full", "answer 5: not alive",
                 "answer 6: not alive", "to 1: MasterInStandby", "leave 1",
                 "contend after 1000"});
}

TEST_CASE("an election that is lost while the store opens counts",
          "[leadership]") {
  Host x;
  x.take(x.logic.start());
  auto first = x.term;
  x.take(x.logic.on(ElectionWon{first}));
  x.take(x.logic.on(now, ElectionLost{first, "gone"}));
  (void)x.taken();
  x.take(
      x.logic.on(now, LeadershipBegun{first, Leadership{LeaderEpoch{7}, {}}}));
  CHECK(x.taken().empty());
  CHECK_FALSE(x.logic.leads());
}

TEST_CASE("the next leadership begins with the tenants that were read last",
          "[leadership]") {
  Leader x;
  TenantsConfig tenants;
  tenants.companies = {{"acme"}};
  x.logic.use_tenants(tenants);
  CHECK_FALSE(x.logic.cluster().config().tenants);
  x.take(x.logic.on(now, ElectionLost{x.term, "gone"}));
  x.lead(8);
  CHECK(x.logic.cluster().config().tenants == tenants);
}

TEST_CASE("what was decided for a connection is not sent over a later one",
          "[leadership]") {
  Leader x;
  x.take(x.logic.ask(now, 5, submission()));
  CHECK(x.taken() == Words{"commit"});
  // It comes back over another connection before that is committed.
  x.take(x.logic.hear(now, 2, worker()));
  CHECK(x.taken() == Words{"leave 1"});
  x.commit();
  auto words = x.taken();
  CHECK(std::find(words.begin(), words.end(), "to 1: LaunchDriver")
        != words.end());
  CHECK(std::find(words.begin(), words.end(), "to 2: LaunchDriver")
        == words.end());
  SECTION("the late end of the old connection loses nobody") {
    x.take(x.logic.disconnect(now, 1));
    CHECK(x.logic.connections().find(w1) == 2);
  }
  SECTION("the end of the new one does") {
    x.take(x.logic.disconnect(now, 2));
    CHECK_FALSE(x.logic.connections().find(w1));
  }
}

TEST_CASE(
    "a driver that acknowledges late, and has ended since, is not taken for "
    "present",
    "[leadership]") {
  Host x;
  x.take(x.logic.start());
  Leadership leadership{LeaderEpoch{7}, {}};
  StoredApplication app;
  app.id = AppId{"app-1"};
  app.driver = EndpointId{"d1"};
  leadership.stored.applications.push_back(app);
  leadership.stored.counters.applications = 1;
  x.take(x.logic.on(ElectionWon{x.term}));
  x.take(x.logic.on(now, LeadershipBegun{x.term, std::move(leadership)}));
  auto present = [&] {
    const auto& applications = x.logic.cluster().state().applications;
    auto key = applications.find(app.id);
    REQUIRE(key);
    return !applications.at(*key).reconnect_due;
  };
  // Said to this master when it led before, over a connection that it forgot when
  // it stepped down.
  x.take(x.logic.hear(now, 3, MasterChangeAcknowledged{app.id, app.driver}));
  CHECK(present());
  x.take(x.logic.disconnect(now, 3));
  CHECK_FALSE(present());
}

TEST_CASE("whatever happens in whatever order, nothing is sent too early, in "
          "the wrong order, or twice",
          "[leadership][property]") {
  /// Counts what steps change.
  struct Counter : StepObserver {
    void stepped(const Cluster&, const EndpointId&, const Event& event,
                 const StepResult& result) override {
      if (std::holds_alternative<ElectedLeader>(event))
        made = committed = 0;
      made += result.changes.size();
      needed[++steps] = made;
    }
    std::map<StepNumber, std::size_t> needed;
    std::size_t made = 0;
    std::size_t committed = 0;
    StepNumber steps = 0;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random{seed};
    Counter counter;
    ClusterConfig config;
    config.durable = true;
    MasterLogic logic{config, &counter};
    std::map<RequestNumber, int> answers;
    RequestNumber last_request = 0;
    std::optional<TermNumber> contends;
    std::optional<TermNumber> begins;
    std::optional<CommitBatch> batch;
    StepNumber last_sent = 0;
    std::uint64_t epoch = 0;
    std::uint64_t published = 0;
    auto time = now;
    auto take = [&](const MasterActions& actions) {
      for (const auto& action : actions)
        if (const auto* x = std::get_if<ContendForLeadership>(&action)) {
          contends = x->term;
          begins.reset();
          batch.reset();
        } else if (const auto* begin = std::get_if<BeginLeadership>(&action)) {
          begins = begin->term;
        } else if (const auto* commit = std::get_if<CommitBatch>(&action)) {
          REQUIRE_FALSE(batch);
          batch = *commit;
        } else if (const auto* news = std::get_if<PublishBatch>(&action)) {
          CHECK(news->number == ++published);
        } else if (const auto* outbox = std::get_if<Outbox>(&action)) {
          CHECK(outbox->step >= last_sent);
          last_sent = outbox->step;
          if (logic.leads())
            CHECK(counter.needed[outbox->step] <= counter.committed);
          for (const auto& item : outbox->items)
            if (const auto* y = std::get_if<Outbox::Response>(&item))
              ++answers[y->request];
        }
    };
    take(logic.start());
    for (int i = 0; i < 200; ++i) {
      time += Duration{random() % 500};
      switch (random() % 8) {
      case 0:
      case 1:
        take(logic.hear(time, 1 + random() % 4,
                        worker("w" + std::to_string(random() % 3))));
        break;
      case 2:
        take(logic.ask(time, ++last_request, submission()));
        break;
      case 3:
        take(logic.ask_after_commit(++last_request));
        break;
      case 4:
        take(logic.disconnect(time, 1 + random() % 4));
        break;
      case 5:
        take(logic.tick(time));
        break;
      case 6:
        if (auto term = std::exchange(contends, std::nullopt))
          take(logic.on(ElectionWon{*term}));
        else if (random() % 8 == 0)
          take(logic.on(time, ElectionLost{random() % 8, "taken away"}));
        break;
      default:
        if (auto term = std::exchange(begins, std::nullopt)) {
          published = 0;
          take(logic.on(
              time,
              LeadershipBegun{*term, Leadership{LeaderEpoch{++epoch}, {}}}));
        } else if (auto done = std::exchange(batch, std::nullopt)) {
          Status status;
          if (random() % 16 == 0)
            status = Error{Errc::io, "the disk fails"};
          else
            counter.committed += done->changes->size();
          take(logic.on(time, BatchCommitted{done->term, std::move(status)}));
        }
      }
    }
    // Whoever asked is answered once, at the latest when the leadership ends.
    while (batch) {
      auto done = *std::exchange(batch, std::nullopt);
      counter.committed += done.changes->size();
      take(logic.on(time, BatchCommitted{done.term, {}}));
    }
    for (RequestNumber request = 1; request <= last_request; ++request)
      CHECK(answers[request] == 1);
  }
}

// -- stalls -------------------------------------------------------------------

namespace {

/// A leader that is durable nowhere, and whose worker was heard of last at `now`.
struct Watcher : Leader {
  Watcher() : Leader(false) {
  }

  [[nodiscard]] WorkerState state() const {
    return logic.cluster().state().workers.all().begin()->second.stored.state;
  }

  const Duration patience = logic.config().worker_timeout;
};

} // namespace

TEST_CASE("a master that was stalled loses nobody for that", "[leadership]") {
  Watcher x;
  // What it does first when it goes on may be anything.
  auto first = GENERATE(as<std::string>(), "tick", "heartbeat", "disconnect");
  INFO(first);
  auto again = now + x.patience + 20s;
  if (first == "tick")
    x.take(x.logic.tick(again));
  else if (first == "heartbeat")
    x.take(x.logic.hear(again, 2, Heartbeat{WorkerId{"w2"}, EndpointId{"w2"}}));
  else
    x.take(x.logic.disconnect(again, 1));
  x.take(x.logic.tick(again));
  CHECK(x.state()
        == (first == "disconnect" ? WorkerState::UNKNOWN : WorkerState::ALIVE));
  x.take(x.logic.hear(again, 1, Heartbeat{WorkerId{"w1"}, w1}));
  x.take(x.logic.tick(again + 1s));
  CHECK(x.state() != WorkerState::DEAD);
}

TEST_CASE("a master that was stalled until just after a deadline loses nobody "
          "for that",
          "[leadership]") {
  Watcher x;
  x.take(x.logic.beat(now));
  x.take(x.logic.beat(now + 1s));
  // The wake-up is in time, nearly.
  auto again = now + x.patience + 200ms;
  auto first = GENERATE(as<std::string>(), "tick", "disconnect", "beat");
  INFO(first);
  if (first == "tick")
    x.take(x.logic.tick(again));
  else if (first == "disconnect")
    x.take(x.logic.disconnect(again, 1));
  else
    x.take(x.logic.beat(again));
  x.take(x.logic.tick(again));
  CHECK(x.state() != WorkerState::DEAD);
  for (auto when = again; when <= again + 2 * x.patience; when += 1s) {
    x.take(x.logic.beat(when));
    x.take(x.logic.tick(when));
  }
  CHECK(x.state() == WorkerState::DEAD);
}

TEST_CASE("who says nothing after a stall either is lost", "[leadership]") {
  Watcher x;
  auto again = now + x.patience + 20s;
  x.take(x.logic.tick(again));
  x.take(x.logic.tick(again + catch_up_time - 1ms));
  CHECK(x.state() == WorkerState::ALIVE);
  x.take(x.logic.tick(again + catch_up_time));
  CHECK(x.state() == WorkerState::DEAD);
}

TEST_CASE("a master that is late again and again still loses who is silent",
          "[leadership]") {
  Watcher x;
  auto late = stalled_when_late_by + 1s;
  auto when = now + x.patience + late;
  auto end = when + 20 * late;
  for (; when < end && x.state() != WorkerState::DEAD; when += late)
    x.take(x.logic.tick(when));
  CHECK(x.state() == WorkerState::DEAD);
}

TEST_CASE("a master whose store did not answer for long loses nobody for that",
          "[leadership]") {
  Leader x;
  auto state = [&] {
    return x.logic.cluster().state().workers.all().begin()->second.stored.state;
  };
  x.take(x.logic.ask(now, 5, submission()));
  x.take(x.logic.disconnect(now, 1));
  auto patience = x.logic.config().reconnect_timeout;
  auto took = GENERATE(store_stalled_when - 1ms, store_stalled_when);
  x.take(x.logic.on(now + took, BatchCommitted{x.term, {}}));
  // Wake-ups come in time.
  for (auto when = now + took; when <= now + patience; when += 500ms)
    x.take(x.logic.tick(when));
  x.take(x.logic.tick(now + patience));
  auto stalled = took == store_stalled_when;
  CHECK((state() == WorkerState::DEAD) == !stalled);
  for (auto when = now + patience;
       when <= now + patience + took + catch_up_time; when += 500ms)
    x.take(x.logic.tick(when));
  CHECK(state() == WorkerState::DEAD);
}

TEST_CASE("a master whose store was slow twice in a row loses nobody for that",
          "[leadership]") {
  Leader x;
  auto state = [&] {
    return x.logic.cluster().state().workers.all().begin()->second.stored.state;
  };
  // Who asks while one commit is under way waits for that one and the next.
  x.take(x.logic.ask(now, 5, submission()));
  x.take(x.logic.ask(now + 100ms, 6, submission()));
  x.take(x.logic.disconnect(now + 100ms, 1));
  auto took = store_stalled_when - 500ms;
  x.take(x.logic.on(now + took, BatchCommitted{x.term, {}}));
  x.take(x.logic.on(now + 2 * took, BatchCommitted{x.term, {}}));
  for (auto when = now + 2 * took;
       when <= now + x.logic.config().reconnect_timeout + 1s; when += 500ms)
    x.take(x.logic.tick(when));
  CHECK(state() == WorkerState::UNKNOWN);
}

TEST_CASE("a master loses nobody while its store does not answer",
          "[leadership]") {
  Leader x;
  auto state = [&] {
    return x.logic.cluster().state().workers.all().begin()->second.stored.state;
  };
  auto patience = x.logic.config().reconnect_timeout;
  x.take(x.logic.disconnect(now, 1));
  // Some time passes before it hangs.
  auto hangs = now + patience - store_stalled_when - 1s;
  x.take(x.logic.ask(hangs, 5, submission()));
  auto go_on = [&](Instant from, Instant to) {
    for (auto when = from; when < to; when += 500ms) {
      x.take(x.logic.beat(when));
      x.take(x.logic.tick(when));
    }
    x.take(x.logic.tick(to));
  };
  auto answers = hangs + 30s;
  go_on(hangs, answers);
  CHECK(state() == WorkerState::UNKNOWN);
  x.take(x.logic.on(answers, BatchCommitted{x.term, {}}));
  // What was left of its time it still has, and no more than that.
  auto end = answers + patience - (hangs - now) + catch_up_time;
  go_on(answers, end - 1ms);
  CHECK(state() == WorkerState::UNKNOWN);
  x.take(x.logic.tick(end));
  CHECK(state() == WorkerState::DEAD);
}

TEST_CASE("a wake-up that is a little late is no stall", "[leadership]") {
  Watcher x;
  x.take(x.logic.tick(now + x.patience + stalled_when_late_by - 1ms));
  CHECK(x.state() == WorkerState::DEAD);
}
