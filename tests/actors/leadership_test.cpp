// Leaderships of a MASTER with its JOURNAL and its LEADER ELECTION: nothing is
// said before it is committed, nothing by one that may not lead, and nothing
// that belongs to an earlier leadership.

#include <filesystem>

#include <caf/actor_cast.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include "actors/lock_election.hpp"
#include "actors/master.hpp"
#include "storage/memory_journal.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace stoker::test {

/// Gives one of the answers that are held back.
struct AnswerHeld {
  std::size_t number = 0;
};

} // namespace stoker::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(stoker::test::AnswerHeld)

namespace {

using Names = std::vector<std::string>;

/// Holds back answers of a journal, which has done its work then: as on a
/// machine that is slow.
struct Gate {
  bool closed = false;
  std::vector<std::function<void()>> held;
};

using GatedJournal = JournalActor::extend<caf::reacts_to<AnswerHeld>>;

GatedJournal::behavior_type gated(GatedJournal::pointer self, JournalActor to,
                                  std::shared_ptr<Gate> gate) {
  auto pass = [=](const auto& x) {
    auto promise = self->make_response_promise<JournalAnswer>();
    self->request(to, caf::infinite, x).then([=](const JournalAnswer& y) {
      auto answer = [promise, y]() mutable { promise.deliver(y); };
      if (gate->closed)
        gate->held.emplace_back(std::move(answer));
      else
        answer();
    });
    return promise;
  };
  return {[=](const OpenJournal& x) { return pass(x); },
          [=](const CommitChanges& x) { return pass(x); },
          [=](const CheckJournal& x) { return self->delegate(to, x); },
          [=](const AnswerHeld& x) { gate->held.at(x.number)(); }};
}

struct Machine {
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  JournalActor journal;
  GatedJournal between;
  LeaderElectionActor election;
  MasterActor master;
};

struct LeadershipFixture : DeterministicSystem {
  TemporaryDirectory place;
  std::string directory = place.path("data");
  std::function<Status()> disk = [] { return Status{}; };
  std::shared_ptr<MemoryStore> store
      = std::make_shared<MemoryStore>([this] { return disk(); });
  WorkerRecordPtr record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn(worker_recorder, record);

  Machine start(const std::string& url = "stoker://m:1", bool slow = false) {
    Machine x;
    x.gate->closed = slow;
    x.journal = spawn(journal, JournalFactory{[store = store] {
                        return std::make_unique<MemoryJournal>(store);
                      }});
    x.between = spawn(gated, x.journal, x.gate);
    x.election = spawn(lock_election, LockElectionConfig{directory, {}});
    ClusterConfig config;
    config.master_url = url;
    config.durable = true;
    x.master = spawn(
        master, config,
        MasterServices{
            {}, {}, {}, x.election, caf::actor_cast<JournalActor>(x.between)});
    return x;
  }

  /// As the machine does it when power fails.
  void lose(const Machine& x) {
    kill(x.master);
    kill(x.election);
    kill(x.between);
    kill(x.journal);
  }

  RecoveryState status(const Machine& x) {
    return ask<MasterStateResponse>(x.master, RequestMasterState{})->status;
  }

  Pending<SubmitDriverResponse> submit(const Machine& x) {
    RequestSubmitDriver submission;
    submission.driver_description.command.arguments = {"drive"};
    return request<SubmitDriverResponse>(x.master, submission);
  }

  std::size_t stored_drivers() const {
    return store->snapshot().drivers.size();
  }

  void answer_held(Machine& x, std::size_t i) {
    caf::anon_send(x.between, AnswerHeld{i});
    scheduler.run();
  }

  void register_worker(const Machine& x) {
    caf::send_as(
        caf::actor_cast<caf::actor>(worker), x.master,
        RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 0, 4, 4096});
    scheduler.run();
  }

  Names take_lines() {
    return std::exchange(record->lines, {});
  }

  /// Until a lock that was taken away is missed.
  void take_lock_away() {
    REQUIRE(std::filesystem::remove(directory + "/lock"));
    advance(500ms, 20ms);
  }
};

} // namespace

TEST_CASE_METHOD(LeadershipFixture, "nothing is said before it is committed",
                 "[leadership]") {
  auto x = start();
  CHECK(status(x) == RecoveryState::ALIVE);
  x.gate->closed = true;
  register_worker(x);
  auto submitted = submit(x);
  CHECK(take_lines().empty());
  CHECK_FALSE(submitted.answered());
  // The worker's record is committed; the driver's was gathered meanwhile.
  CHECK(x.gate->held.size() == 1);
  CHECK(stored_drivers() == 0);
  answer_held(x, 0);
  CHECK(take_lines() == Names{"RegisteredWorker"});
  CHECK_FALSE(submitted.answered());
  CHECK(stored_drivers() == 1);
  answer_held(x, 1);
  CHECK(submitted.answer()->success);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "what was acknowledged is there under the next leader",
                 "[leadership]") {
  auto first = start();
  auto second = start("stoker://m:2");
  register_worker(first);
  REQUIRE(submit(first).answer()->success);
  auto epoch = record->epoch;
  (void)take_lines();
  // The other one leads nobody.
  advance(5s, 100ms);
  CHECK(status(first) == RecoveryState::ALIVE);
  CHECK(status(second) == RecoveryState::STANDBY);
  CHECK(failed_with(submit(second).answer(), Errc::not_alive));
  CHECK(take_lines().empty());
  lose(first);
  advance(100ms, 20ms);
  CHECK(status(second) == RecoveryState::RECOVERING);
  auto state = *ask<MasterStateResponse>(second.master, RequestMasterState{});
  CHECK(state.active_drivers.size() == 1);
  CHECK(state.workers.size() == 1);
  // What it answers is what it runs.
  register_worker(second);
  CHECK(take_lines() == Names{"MasterChanged"});
  CHECK(record->epoch > epoch);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "a master tells no reason of its own any more once "
                 "another leads",
                 "[leadership]") {
  auto first = start();
  auto second = start("stoker://m:2");
  auto reason = [&] {
    auto answer = submit(first).answer();
    REQUIRE_FALSE(answer);
    return system.render(answer.error());
  };
  take_lock_away();
  CHECK(contains(reason(), "was taken away"));
  CHECK(status(second) != RecoveryState::STANDBY);
  advance(1100ms, 20ms);
  CHECK(contains(reason(), "another one leads"));
  CHECK_FALSE(contains(reason(), "was taken away"));
  lose(second);
  advance(100ms, 20ms);
  CHECK(status(first) != RecoveryState::STANDBY);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "who may lead no longer says so, and leads again when "
                 "nobody else does",
                 "[leadership]") {
  auto x = start();
  register_worker(x);
  REQUIRE(submit(x).answer()->success);
  auto epoch = record->epoch;
  (void)take_lines();
  take_lock_away();
  CHECK(status(x) == RecoveryState::STANDBY);
  CHECK(take_lines() == Names{"MasterInStandby"});
  CHECK(failed_with(submit(x).answer(), Errc::not_alive));
  advance(980ms, 20ms);
  CHECK(status(x) == RecoveryState::STANDBY);
  advance(40ms, 20ms);
  CHECK(status(x) == RecoveryState::RECOVERING);
  register_worker(x);
  CHECK(record->epoch > epoch);
  auto state = *ask<MasterStateResponse>(x.master, RequestMasterState{});
  CHECK(state.active_drivers.size() == 1);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "a commit that fails ends a leadership, and what "
                 "waited for it is not said",
                 "[leadership]") {
  auto x = start();
  register_worker(x);
  (void)take_lines();
  auto lasts = 0s;
  SECTION("the disk is full") {
    disk = [] { return Error{Errc::full, "the disk is full"}; };
    lasts = 5s;
  }
  SECTION("another has begun to lead") {
    REQUIRE(MemoryJournal{store}.lead("stoker://m:2", 0));
  }
  auto submitted = submit(x);
  CHECK(failed_with(submitted.answer(), Errc::not_alive));
  CHECK(stored_drivers() == 0);
  CHECK(status(x) == RecoveryState::STANDBY);
  CHECK(take_lines() == Names{"MasterInStandby"});
  // It goes on as soon as it can.
  advance(lasts, 100ms);
  disk = [] { return Status{}; };
  advance(1100ms, 100ms);
  CHECK(status(x) == RecoveryState::RECOVERING);
  CHECK(submit(x).answer()->success);
  CHECK(stored_drivers() == 1);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "a commit of an earlier leadership is not this one's",
                 "[leadership]") {
  auto x = start();
  x.gate->closed = true;
  auto submitted = submit(x);
  CHECK_FALSE(submitted.answered());
  REQUIRE(x.gate->held.size() == 1);
  take_lock_away();
  // Who asked cannot know what became of it: it is committed.
  CHECK(failed_with(submitted.answer(), Errc::not_alive));
  CHECK(stored_drivers() == 1);
  x.gate->closed = false;
  advance(1100ms, 100ms);
  REQUIRE(status(x) != RecoveryState::STANDBY);
  SECTION("while nothing is under way") {
    answer_held(x, 0);
  }
  SECTION("while another commit is under way") {
    x.gate->closed = true;
    auto next = submit(x);
    REQUIRE(x.gate->held.size() == 2);
    answer_held(x, 0);
    CHECK_FALSE(next.answered());
    answer_held(x, 1);
    CHECK(next.answer()->success);
    x.gate->closed = false;
  }
  CHECK(status(x) != RecoveryState::STANDBY);
  CHECK(submit(x).answer()->success);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "a failure of an earlier leadership does not end this "
                 "one",
                 "[leadership]") {
  auto x = start();
  x.gate->closed = true;
  disk = [] { return Error{Errc::io, "the disk fails"}; };
  auto submitted = submit(x);
  disk = [] { return Status{}; };
  REQUIRE(x.gate->held.size() == 1);
  take_lock_away();
  CHECK(failed_with(submitted.answer(), Errc::not_alive));
  x.gate->closed = false;
  advance(1100ms, 100ms);
  REQUIRE(status(x) == RecoveryState::ALIVE);
  answer_held(x, 0);
  CHECK(status(x) == RecoveryState::ALIVE);
}

TEST_CASE_METHOD(LeadershipFixture,
                 "a leadership that was revoked before it began does "
                 "not begin",
                 "[leadership]") {
  auto x = start("stoker://m:1", true);
  REQUIRE(x.gate->held.size() == 1);
  CHECK(status(x) == RecoveryState::STANDBY);
  take_lock_away();
  advance(1100ms, 100ms);
  REQUIRE(x.gate->held.size() == 2);
  answer_held(x, 0);
  CHECK(status(x) == RecoveryState::STANDBY);
  x.gate->closed = false;
  answer_held(x, 1);
  CHECK(status(x) == RecoveryState::ALIVE);
  // With the later epoch: commits are accepted.
  CHECK(submit(x).answer()->success);
}
