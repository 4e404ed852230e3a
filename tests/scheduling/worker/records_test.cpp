// What a worker remembers of its programs, and what a successor does with it.

#include <map>

#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

const DriverId driver_1{"driver-1"};

/// What would be on disk after these effects.
class Memory {
public:
  WorkerEffects note(WorkerEffects effects) {
    for (const auto& effect : effects) {
      if (const auto* x = std::get_if<StartProcess>(&effect))
        records_[x->id] = x->record;
      else if (const auto* y = std::get_if<RememberProgram>(&effect))
        records_[id_of(y->record).value()] = y->record;
      else if (const auto* z = std::get_if<ForgetProgram>(&effect))
        records_.erase(z->id);
    }
    return effects;
  }

  [[nodiscard]] ProgramsFound found() const {
    ProgramsFound result;
    for (const auto& [id, record] : records_)
      result.programs.push_back(record);
    return result;
  }

  [[nodiscard]] const ProgramRecord& at(const ProgramId& id) const {
    return records_.at(id);
  }

private:
  std::map<ProgramId, ProgramRecord> records_;
};

struct RecordsFixture {
  Memory memory;
  std::optional<stoker::test::PlayedWorker> worker;
  Instant now{10s};

  RecordsFixture() {
    start();
  }

  /// Starts a worker, in the place of the last one.
  WorkerEffects start() {
    worker.emplace();
    auto result = step(memory.found());
    (void)step(WorkerStarted{});
    return result;
  }

  void register_worker() {
    (void)step(MasterConnected{});
    (void)step(RegisteredWorker{"stoker://m1:7070", false});
  }

  template <class T>
  WorkerEffects step(const T& what) {
    return memory.note(worker->step(now, what));
  }

  [[nodiscard]] const DriverRecord& driver() const {
    return memory.at(driver_1).driver.value();
  }
};

template <class T>
std::vector<T> all(const WorkerEffects& effects) {
  std::vector<T> result;
  for (const auto& effect : effects)
    if (const auto* x = std::get_if<T>(&effect))
      result.push_back(*x);
  return result;
}

LaunchDriver launch_driver(bool supervise) {
  LaunchDriver result;
  result.driver_id = driver_1;
  result.driver_desc.command.arguments = {"drive"};
  result.driver_desc.command.environment = {{"SECRET", "x"}};
  result.driver_desc.supervise = supervise;
  result.resources = {{"gpu", {"3"}}};
  return result;
}

} // namespace

TEST_CASE_METHOD(RecordsFixture,
                 "a program is remembered when it is to be started",
                 "[worker]") {
  register_worker();
  LaunchExecutor x;
  x.app_id = AppId{"app-1"};
  x.exec_id = 7;
  x.cores = 2;
  x.memory_mb = 512;
  auto starts = all<StartProcess>(step(x));
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].record
        == ProgramRecord{WorkerId{"w1"},
                         ExecutorRecord{AppId{"app-1"}, 7, 2, 512, false},
                         std::nullopt});
}

TEST_CASE_METHOD(RecordsFixture,
                 "a driver's secrets are kept while it may be started again",
                 "[worker]") {
  register_worker();
  SECTION("never, without supervision") {
    (void)step(launch_driver(false));
    CHECK(driver().description.command == Command{});
  }
  SECTION("until its end, with supervision") {
    (void)step(launch_driver(true));
    CHECK(driver().description.command.environment.at("SECRET") == "x");
    (void)step(ProcessEnded{driver_1, 0, std::nullopt});
    CHECK(driver().description.command == Command{});
    CHECK(driver().ended.value().exit_status == 0);
  }
}

TEST_CASE_METHOD(RecordsFixture,
                 "a successor starts a driver as its predecessor did",
                 "[worker]") {
  register_worker();
  auto first = all<StartProcess>(step(launch_driver(true))).at(0);
  auto adopted = all<AdoptProcess>(start());
  REQUIRE(adopted.size() == 1);
  CHECK(adopted[0].directory == first.directory);
  // It ends before any master has been found.
  (void)step(ProcessEnded{driver_1, 1, std::nullopt});
  now += 1s;
  auto second = all<StartProcess>(step(WorkerTick{}));
  REQUIRE(second.size() == 1);
  CHECK(second[0].directory == "/work/driver-1/attempt-2");
  auto expected = first.command;
  expected.environment["STOKER_WORK_DIR"] = second[0].program_directory;
  CHECK(second[0].command == expected);
  CHECK(driver().attempts == 2);
  CHECK(driver().restart_pause_ms == 2000);
}

TEST_CASE_METHOD(RecordsFixture,
                 "an executor is remembered until its output is taken",
                 "[worker]") {
  register_worker();
  ExecutorId id{AppId{"app-1"}, 7};
  LaunchExecutor x;
  x.app_id = id.app_id;
  x.exec_id = id.exec_id;
  x.app_desc.reads_output = true;
  (void)step(x);
  (void)step(ProcessEnded{id, 0, std::nullopt});
  (void)step(StateAcknowledged{id, ExecutorState::EXITED});
  (void)start();
  register_worker();
  // As the state in its directory says.
  (void)step(ProcessEnded{id, 0, std::nullopt});
  (void)step(StateAcknowledged{id, ExecutorState::EXITED});
  (void)step(OutputTaken{id});
  CHECK(memory.found().programs.empty());
}

TEST_CASE_METHOD(
    RecordsFixture,
    "a successor waits for no reader when the output was taken before",
    "[worker]") {
  register_worker();
  ExecutorId id{AppId{"app-1"}, 7};
  LaunchExecutor x;
  x.app_id = id.app_id;
  x.exec_id = id.exec_id;
  x.app_desc.reads_output = true;
  (void)step(x);
  (void)step(ProcessEnded{id, 0, std::nullopt});
  // Taken before the master has acknowledged the end.
  (void)step(OutputTaken{id});
  (void)start();
  register_worker();
  (void)step(ProcessEnded{id, 0, std::nullopt});
  (void)step(StateAcknowledged{id, ExecutorState::EXITED});
  CHECK(memory.found().programs.empty());
}

TEST_CASE_METHOD(RecordsFixture, "what was acknowledged is not found again",
                 "[worker]") {
  register_worker();
  LaunchExecutor x;
  x.app_id = AppId{"app-1"};
  (void)step(x);
  (void)step(ProcessEnded{ExecutorId{x.app_id, 0}, 0, std::nullopt});
  CHECK(memory.found().programs.size() == 1);
  (void)step(StateAcknowledged{{x.app_id, 0}, ExecutorState::EXITED});
  CHECK(memory.found().programs.empty());
}

TEST_CASE_METHOD(RecordsFixture,
                 "a driver that has ended is told of by a successor",
                 "[worker]") {
  register_worker();
  (void)step(launch_driver(true));
  (void)step(ProcessEnded{driver_1, 0, std::nullopt});
  CHECK(driver().ended_ms == to_ms(now));
  now += 7s;
  CHECK(all<AdoptProcess>(start()).empty());
  (void)step(MasterConnected{});
  auto told = all<SendWorkerMessage>(
      step(RegisteredWorker{"stoker://m1:7070", false}));
  REQUIRE(told.size() == 2);
  DriverStateChanged expected{driver_1, DriverState::FINISHED, std::nullopt, 0};
  expected.ended_ago_ms = 7'000;
  CHECK(std::get<DriverStateChanged>(told[0].message) == expected);
  CHECK(std::get<WorkerLatestState>(told[1].message).driver_ids.empty());
}

TEST_CASE_METHOD(RecordsFixture,
                 "an end that an older program has stored has no time",
                 "[worker]") {
  ProgramsFound found;
  auto& record = found.programs.emplace_back();
  record.worker_id = WorkerId{"w1"};
  record.driver.emplace().driver_id = driver_1;
  record.driver->attempts = 1;
  record.driver->ended
      = DriverStateChanged{driver_1, DriverState::FINISHED, std::nullopt, 0};
  (void)step(found);
  (void)step(MasterConnected{});
  auto told = all<SendWorkerMessage>(
      step(RegisteredWorker{"stoker://m1:7070", false}));
  REQUIRE(told.size() == 2);
  CHECK(std::get<DriverStateChanged>(told[0].message) == *record.driver->ended);
}

TEST_CASE_METHOD(RecordsFixture,
                 "an executor that ended while no worker was there ended then",
                 "[worker]") {
  register_worker();
  LaunchExecutor x;
  x.app_id = AppId{"app-1"};
  (void)step(x);
  now += 60s;
  (void)start();
  ProcessEnded ended{ExecutorId{x.app_id, 0}, 0, std::nullopt};
  ended.ago = 20s;
  (void)step(ended);
  now += 5s;
  (void)step(MasterConnected{});
  auto asked
      = all<AskMaster>(step(RegisteredWorker{"stoker://m1:7070", false}));
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].message.ended_ago_ms == 25'000);
}

TEST_CASE_METHOD(
    RecordsFixture,
    "a clock that was set back says nothing of an end in the future",
    "[worker]") {
  register_worker();
  (void)step(launch_driver(true));
  (void)step(ProcessEnded{driver_1, 0, std::nullopt});
  now -= 5s;
  (void)start();
  (void)step(MasterConnected{});
  auto told = all<SendWorkerMessage>(
      step(RegisteredWorker{"stoker://m1:7070", false}));
  REQUIRE(told.size() == 2);
  CHECK_FALSE(std::get<DriverStateChanged>(told[0].message).ended_ago_ms);
}

TEST_CASE_METHOD(RecordsFixture,
                 "records with ids that name no directory are ignored",
                 "[worker]") {
  ProgramsFound found;
  found.programs.push_back(
      {WorkerId{"w1"}, ExecutorRecord{AppId{"../x"}, 0, 1, 1, false}, {}});
  found.programs.emplace_back();
  found.directories = {"..", ".workers"};
  CHECK(all<AdoptProcess>(step(found)).empty());
}
