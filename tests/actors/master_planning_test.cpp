// Plans and explanations of a MASTER: several at once, and none of a master that
// leads no more. What they say is tested with the Cluster.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actors/clock.hpp"
#include "actors/defaults.hpp"
#include "actors/journal.hpp"
#include "actors/master.hpp"
#include "actors/planner.hpp"
#include "actors/planning_end.hpp"
#include "scheduling/planning/plan.hpp"
#include "storage/memory_journal.hpp"
#include "tests/actors/recorders.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

using Plans = std::vector<DeterministicSystem::Pending<PlanResponse>>;

struct PlanningFixture : DeterministicSystem {
  std::function<Status()> disk = [] { return Status{}; };
  std::shared_ptr<MemoryStore> store
      = std::make_shared<MemoryStore>([this] { return disk(); });
  WorkerRecordPtr record = std::make_shared<WorkerRecord>();
  WorkerActor worker = spawn(worker_recorder, record);
  std::shared_ptr<std::vector<std::string>> app_lines
      = std::make_shared<std::vector<std::string>>();
  AppClientActor app = spawn(
      [](std::shared_ptr<std::vector<std::string>> lines) {
        return app_recorder(std::move(lines));
      },
      app_lines);
  MasterActor master;

  PlanningFixture() {
    MasterServices services;
    services.journal = spawn(journal, JournalFactory{[store = store] {
                               return std::make_unique<MemoryJournal>(store);
                             }});
    ClusterConfig config;
    config.durable = true;
    master = spawn(stoker::master, config, services);
    caf::send_as(
        caf::actor_cast<caf::actor>(worker), master,
        RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 0, 4, 4096});
    scheduler.run();
  }

  /// An application that wants so many cores.
  AppId start_application(int cores) {
    RegisterApplication x;
    x.description.name = "sort";
    x.description.command.arguments = {"sort"};
    x.description.cores_per_executor = 1;
    x.description.max_cores = cores;
    x.description.memory_per_executor_mb = 64;
    x.driver = EndpointId{"d" + std::to_string(cores)};
    caf::send_as(caf::actor_cast<caf::actor>(app), master, x);
    scheduler.run();
    return ask<MasterStateResponse>(master, RequestMasterState{})
        ->active_apps.back()
        .id;
  }

  /// One that adds a worker of so many cores.
  static RequestPlan plan(int cores) {
    RequestPlan result;
    result.add_workers = {{1, cores, 1024, "h2", {}}};
    return result;
  }

  /// Asks for so many at once: for 1 core more, for 2 more and so on.
  Plans ask_for_plans(int count) {
    Plans result;
    for (int cores = 1; cores <= count; ++cores)
      result.push_back(begin_request<PlanResponse>(master, plan(cores)));
    return result;
  }
};

} // namespace

TEST_CASE_METHOD(PlanningFixture,
                 "plans that are asked for at once are all answered, and "
                 "change nothing",
                 "[planning]") {
  auto before = store->snapshot();
  auto plans = ask_for_plans(5);
  scheduler.run();
  for (int i = 0; i < 5; ++i)
    CHECK(plans.at(static_cast<std::size_t>(i)).answer()->total.cores
          == 4 + i + 1);
  CHECK(store->snapshot() == before);
  CHECK(ask<MasterStateResponse>(master, RequestMasterState{})->workers.size()
        == 1);
}

TEST_CASE_METHOD(PlanningFixture,
                 "more plans than a master keeps waiting are refused, and the "
                 "others answered",
                 "[planning]") {
  auto plans = ask_for_plans(150);
  scheduler.run();
  auto answered = std::count_if(plans.begin(), plans.end(), [](const auto& x) {
    return static_cast<bool>(x.answer());
  });
  CHECK(answered >= 100);
  CHECK(answered < 150);
  for (const auto& x : plans)
    if (!x.answer())
      CHECK(failed_with(x.answer(), Errc::failed));
  CHECK(ask<PlanResponse>(master, plan(1))->total.cores == 5);
}

TEST_CASE_METHOD(PlanningFixture,
                 "an explanation with an estimate says when there is room",
                 "[planning]") {
  auto limited = begin_request<PlanResponse>(master, plan(1));
  (void)start_application(4);
  auto waiting = start_application(2);
  auto answer = ask<ExplanationResponse>(master, RequestExplanation{waiting});
  CHECK(answer->found);
  CHECK(answer->blocker == Blocker::cores);
  CHECK(answer->workers_with_room == 0);
  CHECK(limited.answered());
}

TEST_CASE_METHOD(PlanningFixture,
                 "a master that leads no more refuses what still waits for a "
                 "plan",
                 "[planning]") {
  // What is known now will never be stored.
  disk = [] { return Error{Errc::full, "the disk is full"}; };
  RequestSubmitDriver submission;
  submission.driver_description.command.arguments = {"drive"};
  auto submitted = begin_request<SubmitDriverResponse>(master, submission);
  auto plans = ask_for_plans(5);
  scheduler.run();
  CHECK(failed_with(submitted.answer(), Errc::not_alive));
  for (const auto& x : plans)
    CHECK(failed_with(x.answer(), Errc::not_alive));
  disk = [] { return Status{}; };
  advance(1100ms, 100ms);
  CHECK(ask<PlanResponse>(master, plan(3)));
}

TEST_CASE("a plan that takes too long is given up, and others have their turn",
          "[planning]") {
  auto given_up = 0;
  auto given_up_unbegun = 0;
  // How far it has come when time runs out: from the question to the answers.
  for (auto handled = 0; handled < 12; ++handled) {
    INFO("after " << handled << " messages");
    PlanningFixture fixture;
    auto plans = fixture.ask_for_plans(3);
    for (auto i = 0; i < handled; ++i)
      (void)fixture.scheduler.run_once();
    fixture.scheduler.advance_time(defaults::planning_patience);
    fixture.scheduler.run();
    auto was_given_up = [&](std::size_t number) {
      const auto& plan = plans.at(number).answer();
      REQUIRE(plan);
      CHECK((plan->problem.empty() || *plan == plan_that_took_too_long()));
      return !plan->problem.empty();
    };
    auto first = was_given_up(0);
    given_up += first ? 1 : 0;
    given_up_unbegun += !first && was_given_up(2) ? 1 : 0;
    CHECK(fixture.ask<PlanResponse>(fixture.master, PlanningFixture::plan(1))
              ->problem.empty());
  }
  CHECK(given_up > 0);
  CHECK(given_up_unbegun > 0);
}

TEST_CASE_METHOD(PlanningFixture, "a planner stops when it is told to",
                 "[planning]") {
  auto cluster = std::make_shared<Cluster>(ClusterConfig{});
  (void)cluster->step({}, ElectedLeader{});
  PlanOnCopy question{cluster, Instant{}, plan(1), [] { return true; }};
  auto answer = ask<PlanResponse>(spawn(planner), question);
  CHECK(*answer == plan_that_took_too_long());
}

TEST_CASE_METHOD(PlanningFixture,
                 "planning ends at its time, and with whom it is for",
                 "[planning]") {
  WallClock clock{scheduler.clock()};
  std::optional<PlanningEnd> owner{std::in_place};
  auto limited = owner->or_at(clock, clock.now() + 10s);
  auto unlimited = owner->or_at(clock, clock.now() + 1h);
  CHECK_FALSE(limited());
  scheduler.advance_time(10s);
  CHECK(limited());
  CHECK_FALSE(unlimited());
  owner.reset();
  CHECK(unlimited());
}
