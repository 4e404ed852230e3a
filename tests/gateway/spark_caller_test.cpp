// Who is called when a leadership begins, and how often.

#include "gateway/spark_caller.hpp"

#include <string>
#include <vector>

#include "tests/support/captured_log.hpp"
#include "tests/support/deterministic_system.hpp"

using namespace stoker;
using namespace stoker::test;
using namespace std::chrono_literals;

namespace {

StoredApplication application(const std::string& id) {
  StoredApplication result;
  result.id = AppId{id};
  result.driver = EndpointId{"driver of " + id};
  result.description.spark_driver
      = SparkDriver{"127.0.0.1", 40'000, "3.5.9", {}};
  return result;
}

struct CallerFixture : DeterministicSystem {
  FeedActor feed = spawn(stoker::feed, std::size_t{100});
  std::shared_ptr<PresentPeers> present = std::make_shared<PresentPeers>();

  /// Who was called, and what to do when that fails.
  struct Call {
    std::string app;
    LeaderEpoch epoch;
    SparkCallFailed failed;
  };
  std::shared_ptr<std::vector<Call>> calls
      = std::make_shared<std::vector<Call>>();

  SparkCallerActor caller = spawn(
      spark_caller, feed,
      CallSparkPeer{[calls = calls](const SparkRecall& x, auto failed) {
        const auto* driver = std::get_if<SparkDriverRecall>(&x);
        if (driver == nullptr)
          calls->push_back({std::get<SparkWorkerRecall>(x).worker.id.value,
                            {},
                            std::move(failed)});
        else
          calls->push_back(
              {driver->app_id.value, driver->epoch, std::move(failed)});
      }},
      std::shared_ptr<const PresentPeers>{present});

  void begin(std::uint64_t epoch, std::vector<StoredApplication> apps,
             std::vector<StoredWorker> workers = {}) {
    auto stored = std::make_shared<StoredState>();
    stored->applications = std::move(apps);
    stored->workers = std::move(workers);
    caf::anon_send(feed, BeginFeed{LeaderEpoch{epoch}, stored});
    scheduler.run();
  }

  std::vector<std::string> called() {
    std::vector<std::string> result;
    for (const auto& x : *calls)
      result.push_back(x.app);
    return result;
  }
};

using Names = std::vector<std::string>;

StoredWorker worker(const std::string& id) {
  StoredWorker result;
  result.id = WorkerId{id};
  result.endpoint = EndpointId{id};
  result.host = "127.0.0.1";
  result.port = 7101;
  result.only_spark = true;
  return result;
}

} // namespace

TEST_CASE_METHOD(CallerFixture, "a leader calls the workers of Spark's own",
                 "[gateway]") {
  auto ours = worker("worker-2");
  ours.only_spark = false;
  auto here = worker("worker-3");
  present->add(here.endpoint);
  begin(7, {application("app-1")}, {worker("worker-1"), ours, here});
  CHECK(called() == Names{"worker-1", "app-1"});
}

TEST_CASE_METHOD(CallerFixture, "a leader calls the drivers of what it finds",
                 "[gateway]") {
  auto ended = application("app-2");
  ended.state = ApplicationState::FINISHED;
  auto native = application("app-3");
  native.description.spark_driver.reset();
  auto here = application("app-4");
  present->add(here.driver);
  begin(7, {application("app-1"), ended, native, here});
  CHECK(called() == Names{"app-1"});
  CHECK(calls->front().epoch == LeaderEpoch{7});
  calls->clear();
  begin(8, {application("app-1"), application("app-5")});
  CHECK(called() == Names{"app-1", "app-5"});
}

TEST_CASE_METHOD(CallerFixture,
                 "a driver that cannot be reached is called again, "
                 "not for ever, and warned of once",
                 "[gateway]") {
  CapturedLog log;
  begin(1, {application("app-1")});
  std::size_t before = 0;
  for (auto waited = 0s; waited < 90s; waited += 1s) {
    // Each call fails once.
    while (before < calls->size())
      calls->at(before++).failed("nobody listens");
    advance(1s);
  }
  CHECK(calls->size() > 10);
  CHECK(calls->size() < 30);
  auto last = calls->size();
  advance(60s);
  CHECK(calls->size() == last);
  CHECK(log.text()
        == "[spark-driver-unreachable] application=app-1: nobody listens\n");
}

TEST_CASE_METHOD(CallerFixture, "who has come meanwhile is not called again",
                 "[gateway]") {
  begin(1, {application("app-1")});
  REQUIRE(calls->size() == 1);
  present->add(application("app-1").driver);
  calls->front().failed("nobody listens");
  advance(10s);
  CHECK(calls->size() == 1);
}
