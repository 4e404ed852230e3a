// The ALLOCATION MANAGER between an app client, whose masters are played by the test,
// and a load.

#include "actors/allocation_manager.hpp"

#include "actors/app_client.hpp"
#include "tests/actors/fake_master.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

struct AllocationFixture : DeterministicSystem {
  Record first = std::make_shared<MasterRecord>();
  Record second = std::make_shared<MasterRecord>();
  std::shared_ptr<ConnectorScript> script = std::make_shared<ConnectorScript>();
  AllocationManagerActor manager;
  AppClientActor client;

  AllocationFixture() {
    AllocationSettings settings;
    settings.enabled = true;
    manager = spawn(allocation_manager, settings);
    begin();
  }

protected:
  explicit AllocationFixture(int instances) {
    AllocationSettings settings;
    settings.enabled = true;
    manager
        = spawn(instance_allocation_manager, settings, Instances{instances});
    begin();
  }

private:
  void begin() {
    script->masters = {spawn(fake_master, first), spawn(fake_master, second)};
    AppClientConfig config;
    config.endpoint = EndpointId{"e1"};
    config.registration.masters = 2;
    config.registration.give_up_after = 60s;
    client = spawn(app_client, config, spawn(scripted_connector, script),
                   news_sink(manager));
    caf::anon_send(manager, client, TaskSchedulerActor{});
    scheduler.run();
  }

public:
  void register_with(std::size_t master, std::uint64_t epoch) {
    say(master, epoch, RegisteredApplication{AppId{"app-1"}, "stoker://m:1"});
  }

  void submit(int tasks) {
    load_sink(manager)({StageSubmitted{{StageId{0}, 0}, tasks, {}}});
    scheduler.run();
  }

  template <class Message>
  void say(std::size_t master, std::uint64_t epoch, const Message& x) {
    caf::send_as(caf::actor_cast<caf::actor>(script->masters.at(master)),
                 client, LeaderEpoch{epoch}, x);
    scheduler.run();
  }

  static std::vector<int> totals(const Record& master) {
    std::vector<int> result;
    for (const auto& x : master->heard<RequestExecutors>())
      result.push_back(x.requested_total);
    return result;
  }
};

struct InstancesFixture : AllocationFixture {
  InstancesFixture() : AllocationFixture{4} {
    register_with(0, 1);
  }

  void add(int exec_id, int index) {
    ExecutorAdded x;
    x.id = exec_id;
    x.host_port = "h:1";
    x.index = index;
    say(0, 1, x);
  }

  void end(int exec_id, int exit_status) {
    say(0, 1,
        ExecutorUpdated{exec_id, ExecutorState::EXITED, std::nullopt,
                        exit_status});
  }
};

} // namespace

TEST_CASE_METHOD(AllocationFixture,
                 "the master is asked for executors when tasks wait",
                 "[allocation_manager]") {
  register_with(0, 1);
  CHECK(totals(first) == std::vector{0});
  submit(8);
  advance(4s);
  CHECK(totals(first) == std::vector{0, 1, 3, 7, 8});
  CHECK(first->heard<RequestExecutors>().back().app_id == AppId{"app-1"});
}

TEST_CASE_METHOD(AllocationFixture,
                 "a master that does not answer is not asked in a circle",
                 "[allocation_manager]") {
  first->error = caf::make_error(Errc::not_alive);
  register_with(0, 1);
  submit(8);
  advance(2s);
  CHECK(totals(first).size() <= 21);
  first->error = {};
  advance(1s);
  CHECK(totals(first).back() == 1);
}

TEST_CASE_METHOD(AllocationFixture,
                 "the next leader is told how many executors are wanted",
                 "[allocation_manager]") {
  register_with(0, 1);
  submit(8);
  advance(2s);
  CHECK(totals(first).back() == 3);
  auto old = std::exchange(script->masters.at(0), MasterActor{});
  kill(old);
  advance(1s);
  register_with(1, 2);
  CHECK(totals(second) == std::vector{3});
  advance(1s);
  CHECK(totals(second).back() == 7);
}

TEST_CASE_METHOD(AllocationFixture,
                 "an executor that nobody asked for is given back",
                 "[allocation_manager]") {
  register_with(0, 1);
  say(0, 1, ExecutorAdded{0, WorkerId{"w"}, "h:1", 1, 1});
  auto kills = first->heard<KillExecutors>();
  REQUIRE(kills.size() == 1);
  CHECK(kills.front().executor_ids == std::vector{0});
}

TEST_CASE_METHOD(AllocationFixture,
                 "the successor of an executor whose worker leaves is kept",
                 "[allocation_manager]") {
  register_with(0, 1);
  submit(1);
  advance(1s);
  say(0, 1, ExecutorAdded{0, WorkerId{"w"}, "h:1", 1, 1});
  say(0, 1, ExecutorUpdated{0, ExecutorState::DECOMMISSIONED});
  say(0, 1, ExecutorAdded{1, WorkerId{"v"}, "g:1", 1, 1});
  say(0, 1, ExecutorUpdated{0, ExecutorState::EXITED, std::nullopt, 0});
  CHECK(first->heard<KillExecutors>().empty());
}

TEST_CASE_METHOD(InstancesFixture,
                 "instances are asked for step by step, and fewer as they are "
                 "done",
                 "[allocation_manager]") {
  advance(4s);
  CHECK(totals(first) == std::vector{0, 1, 3, 4});
  for (int i = 0; i < 4; ++i)
    add(i, i);
  end(0, 0);
  end(1, 0);
  advance(1s);
  CHECK(totals(first).back() == 2);
  end(2, 3);
  advance(1s);
  CHECK(totals(first).back() == 2);
  add(4, 2);
  end(4, 0);
  end(3, 0);
  advance(1s);
  CHECK(totals(first).back() == 0);
}

TEST_CASE_METHOD(InstancesFixture,
                 "an instance that runs is neither idle nor given back",
                 "[allocation_manager]") {
  for (int i = 0; i < 4; ++i)
    add(i, i);
  advance(10min);
  CHECK(first->heard<KillExecutors>().empty());
}
