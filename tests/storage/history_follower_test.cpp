// Which of the changes that a leader commits say that something has ended.

#include "storage/history_follower.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

StoredApplication known_app(const std::string& id,
                            std::optional<Instant> ended = {}) {
  StoredApplication x;
  x.id = {id};
  x.description.name = "words";
  x.description.user = "ann";
  x.submitted = from_ms(1'000);
  x.started = from_ms(2'000);
  x.ended = ended;
  if (ended)
    x.state = ApplicationState::FINISHED;
  return x;
}

StoredExecutor known_executor(const std::string& app_id, int id,
                              std::optional<Instant> ended = {}) {
  StoredExecutor x;
  x.app_id = {app_id};
  x.exec_id = id;
  x.cores = 2;
  x.memory_mb = 512;
  x.launched = from_ms(2'000);
  x.ended = ended;
  x.state = ended ? ExecutorState::EXITED : ExecutorState::RUNNING;
  return x;
}

struct HistoryReading {
  HistoryFollower follower;
  std::uint64_t batch = 0;

  std::vector<HistoryChange> happen(Changes changes) {
    return follower.follow(
        {{LeaderEpoch{1}, ++batch},
         nullptr,
         {std::make_shared<const Changes>(std::move(changes))}});
  }

  std::vector<HistoryChange> begin(StoredState state) {
    return follower.follow({{LeaderEpoch{1}, ++batch},
                            std::make_shared<const StoredState>(state),
                            {}});
  }

  /// Of exactly one.
  static HistoryEntry entry(const std::vector<HistoryChange>& changes) {
    REQUIRE(changes.size() == 1);
    REQUIRE(std::holds_alternative<HistoryEntry>(changes.front()));
    return std::get<HistoryEntry>(changes.front());
  }
};

} // namespace

TEST_CASE_METHOD(HistoryReading, "what runs is not in the history",
                 "[history]") {
  CHECK(
      happen({known_app("a"), known_executor("a", 0), StoredDriver{}}).empty());
}

TEST_CASE_METHOD(HistoryReading,
                 "an executor that ended has the names of its application",
                 "[history]") {
  happen({known_app("a"), known_executor("a", 0)});
  auto ended = known_executor("a", 0, from_ms(5'000));
  ended.exit_status = 3;
  ended.message = "why";
  ended.use = ResourceUse{1, 2, 3};
  auto x = entry(happen({ended}));
  CHECK(x.kind == HistoryKind::executor);
  CHECK(x.id == "a/0");
  CHECK(x.name == "words");
  CHECK(x.user == "ann");
  CHECK(x.state == "EXITED");
  CHECK(x.exit_status == 3);
  CHECK(x.message == "why");
  CHECK(x.started_ms == 2'000);
  CHECK(x.ended_ms == 5'000);
  CHECK(x.core_ms == 6'000);
  CHECK(x.use == ResourceUse{1, 2, 3});
}

TEST_CASE_METHOD(HistoryReading,
                 "users belong to the companies of the configuration",
                 "[history]") {
  ClusterConfig config;
  config.tenants.emplace();
  config.tenants->users.resize(1);
  config.tenants->users[0].name = "ann";
  config.tenants->users[0].company = "atlas";
  happen({config, known_app("a"), known_executor("a", 0)});
  CHECK(entry(happen({known_executor("a", 0, from_ms(3'000))})).company
        == "atlas");
  config.tenants.reset();
  happen({config});
  CHECK_FALSE(entry(happen({known_executor("a", 1, from_ms(3'000))})).company);
}

TEST_CASE_METHOD(HistoryReading, "a snapshot has all that ended and is stored",
                 "[history]") {
  StoredState state;
  state.applications = {known_app("a", from_ms(9'000)), known_app("b")};
  state.executors
      = {known_executor("a", 0, from_ms(8'000)), known_executor("b", 0)};
  CHECK(begin(state).size() == 2);
  CHECK(follower.present_use(from_ms(4'000)).front().core_ms == 4'000);
}

TEST_CASE_METHOD(HistoryReading, "an instance that comes back has not ended",
                 "[history]") {
  happen({known_app("a"), known_executor("a", 0)});
  auto lost = known_executor("a", 0, from_ms(5'000));
  lost.state = ExecutorState::LOST;
  lost.index = 0;
  CHECK(entry(happen({lost})).state == "LOST");
  auto changes = happen({known_executor("a", 0)});
  REQUIRE(changes.size() == 1);
  REQUIRE(std::holds_alternative<ForgetEntry>(changes.front()));
  CHECK(std::get<ForgetEntry>(changes.front()).id == "a/0");
  CHECK(entry(happen({known_executor("a", 0, from_ms(6'000))})).ended_ms
        == 6'000);
}

TEST_CASE_METHOD(HistoryReading, "a driver counts each of its starts",
                 "[history]") {
  StoredDriver x;
  x.id = {"driver-1"};
  x.description.user = "bob";
  x.description.cores = 1;
  x.submitted = from_ms(0);
  x.started = from_ms(1'000);
  x.worker_id = {"w"};
  happen({x});
  CHECK(follower.present_use(from_ms(3'000)).front().core_ms == 2'000);
  x.restarts = 2;
  x.state = DriverState::FINISHED;
  x.ended = from_ms(4'000);
  auto ended = entry(happen({x}));
  CHECK(ended.parts == 3);
  CHECK(ended.core_ms == 3'000);
  CHECK(follower.present_use(from_ms(9'000)).empty());
}

TEST_CASE_METHOD(HistoryReading, "a driver that was relaunched says as which",
                 "[history]") {
  StoredDriver x;
  x.id = {"driver-1"};
  x.state = DriverState::RELAUNCHING;
  x.relaunched_as = {"driver-2"};
  x.ended = from_ms(4'000);
  CHECK(entry(happen({x})).relaunched_as == DriverId{"driver-2"});
}

TEST_CASE_METHOD(HistoryReading,
                 "what a worker says it used is believed within reason",
                 "[history]") {
  auto ended = known_executor("a", 0, from_ms(3'000));
  ended.use = ResourceUse{-5, std::numeric_limits<std::int64_t>::max(), -1};
  auto use = entry(happen({ended})).use.value();
  CHECK(use.cpu_ms == 0);
  CHECK(use.peak_memory_mb == std::int64_t{1} << 50);
  CHECK(use.output_bytes == 0);
}

TEST_CASE_METHOD(HistoryReading, "a stage is told of once, when it has ended",
                 "[history]") {
  ReportJobs report;
  report.app_id = {"a"};
  report.stages.resize(2);
  report.stages[0].id = {4};
  report.stages[0].name = "count";
  report.stages[0].status = StageStatus::COMPLETE;
  report.stages[0].tasks = 8;
  report.stages[0].failed = 1;
  report.stages[0].core_ms = 640;
  report.stages[0].use = {500, 30, 1'000};
  report.stages[0].started_ms = 10;
  report.stages[0].ended_ms = 20;
  CHECK(follower.note(report).empty()); // nobody knows the application
  happen({known_app("a")});
  auto x = entry(follower.note(report));
  CHECK(x.id == "a/stage-4");
  CHECK(x.name == "count");
  CHECK(x.user == "ann");
  CHECK(x.parts == 8);
  CHECK(x.failed_parts == 1);
  CHECK(x.core_ms == 640);
  CHECK(x.use == ResourceUse{500, 30, 1'000});
  CHECK(follower.note(report).empty());
  // It was computed again.
  report.stages[0].ended_ms = 30;
  CHECK(entry(follower.note(report)).ended_ms == 30);
}

TEST_CASE_METHOD(HistoryReading, "nothing is kept of what is erased",
                 "[history]") {
  happen({known_app("a"), known_executor("a", 0), known_executor("a", 1)});
  happen({EraseExecutorsOf{{"a"}}, EraseApplication{{"a"}}});
  CHECK(follower.present_use(from_ms(9'000)).empty());
}
