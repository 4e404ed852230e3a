// Which files are needed, and which worker may have which.

#include "scheduling/master/named_files.hpp"

#include <set>

#include "scheduling/master/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

constexpr Instant moment_of_all{1'000'000ms};

const std::string sum_a(64, 'a');
const std::string sum_b(64, 'b');

Command command_with(const std::string& sum) {
  Command result;
  result.arguments = {"true"};
  result.files = {{"name", sum, 1, false}};
  return result;
}

/// Of two workers, of 1 core each, of two nodes.
struct Filed {
  Cluster cluster{ClusterConfig{}};

  Filed() {
    hear(ElectedLeader{LeaderEpoch{1}, {}});
    for (const auto* id : {"w1", "w2"}) {
      RegisterWorker x{WorkerId{id}, EndpointId{id}, "h", 0, 1, 1024};
      x.identity = std::string{"node "} + id;
      hear(x);
    }
  }

  void hear(const Event& x) {
    static_cast<void>(cluster.step(moment_of_all, x));
  }

  AppId add_application(const std::string& sum) {
    RegisterApplication x;
    x.description.command = command_with(sum);
    x.description.cores_per_executor = 1;
    x.description.max_cores = 1;
    x.driver = EndpointId{"d-" + sum};
    x.identity = "user ann";
    hear(x);
    auto key = cluster.state().applications.find_by_driver(x.driver);
    REQUIRE(key);
    return cluster.state().applications.at(*key).stored.id;
  }

  DriverId add_driver(const std::string& sum) {
    RequestSubmitDriver x;
    x.driver_description.command = command_with(sum);
    x.submission = sum;
    x.identity = "user bob";
    hear(x);
    auto key = cluster.state().drivers.find_by_submission(sum);
    REQUIRE(key);
    return cluster.state().drivers.at(*key).stored.id;
  }

  /// Where the application's executor is; the other worker.
  std::pair<std::string, std::string> workers_of(const AppId& id) {
    auto key = cluster.state().applications.find(id);
    const auto* executor
        = cluster.state().applications.at(*key).executors.find(0);
    REQUIRE(executor != nullptr);
    auto own = executor->stored.worker_id.value;
    return {own, own == "w1" ? "w2" : "w1"};
  }

  Result<std::string> fetch(const std::string& worker,
                            std::optional<ExecutorId> executor,
                            std::optional<DriverId> driver,
                            const std::string& sum,
                            const std::string& identity) {
    FetchFilePart x;
    x.worker_id = WorkerId{worker};
    x.executor = std::move(executor);
    x.driver = std::move(driver);
    x.sha256 = sum;
    return owner_of_file(cluster.state(), x, Speaker{identity, false});
  }

  std::set<std::string> named() {
    std::set<std::string> result;
    for_each_named_file(cluster.state(),
                        [&](const auto& identity, const auto& file) {
                          result.insert(identity + ' ' + file.sha256);
                        });
    return result;
  }
};

} // namespace

TEST_CASE("a worker may have the files of its executors, and no others",
          "[named files]") {
  Filed filed;
  auto app = filed.add_application(sum_a);
  ExecutorId id{app, 0};
  auto [own, other] = filed.workers_of(app);
  auto owner = filed.fetch(own, id, {}, sum_a, "node " + own);
  REQUIRE(owner);
  CHECK(*owner == "user ann");
  auto refused = [](const Result<std::string>& x) {
    return x.code() == Errc::not_allowed;
  };
  CHECK(refused(filed.fetch(other, id, {}, sum_a, "node " + other)));
  // In another one's name.
  CHECK(refused(filed.fetch(own, id, {}, sum_a, "node " + other)));
  // What its program does not name.
  CHECK(refused(filed.fetch(own, id, {}, sum_b, "node " + own)));
  CHECK(
      refused(filed.fetch(own, ExecutorId{app, 1}, {}, sum_a, "node " + own)));
  CHECK(refused(filed.fetch(own, ExecutorId{AppId{"app-9"}, 0}, {}, sum_a,
                            "node " + own)));
  CHECK(refused(filed.fetch(own, {}, {}, sum_a, "node " + own)));
  CHECK(refused(filed.fetch("w9", id, {}, sum_a, "node " + own)));
  // It has ended.
  filed.hear(UnregisterApplication{app});
  CHECK(refused(filed.fetch(own, id, {}, sum_a, "node " + own)));
}

TEST_CASE("a worker may have the files of its drivers", "[named files]") {
  Filed filed;
  auto id = filed.add_driver(sum_b);
  auto key = filed.cluster.state().drivers.find(id);
  auto own
      = filed.cluster.state().drivers.at(*key).stored.worker_id.value().value;
  auto other = own == "w1" ? "w2" : "w1";
  auto owner = filed.fetch(own, {}, id, sum_b, "node " + own);
  REQUIRE(owner);
  CHECK(*owner == "user bob");
  CHECK_FALSE(filed.fetch(other, {}, id, sum_b, std::string{"node "} + other));
  CHECK_FALSE(filed.fetch(own, {}, id, sum_a, "node " + own));
}

TEST_CASE("files are needed by what waits and runs", "[named files]") {
  Filed filed;
  CHECK(filed.named().empty());
  auto app = filed.add_application(sum_a);
  auto driver = filed.add_driver(sum_b);
  CHECK(filed.named()
        == std::set<std::string>{"user ann " + sum_a, "user bob " + sum_b});
  filed.hear(UnregisterApplication{app});
  CHECK(filed.named() == std::set<std::string>{"user bob " + sum_b});
  filed.hear(DriverStateChanged{driver, DriverState::FINISHED, {}, 0});
  CHECK(filed.named().empty());
}

TEST_CASE("a command with files that cannot be is refused", "[named files]") {
  Filed filed;
  RegisterApplication x;
  x.description.command = command_with(sum_a);
  x.driver = EndpointId{"d"};
  SECTION("for its names") {
    x.description.command.files.front().name = "../x";
  }
  SECTION("for its kind of program") {
    x.description.command.spark = SparkProgram{};
    x.description.command.spark->main_class = "Main";
  }
  filed.hear(x);
  CHECK_FALSE(filed.cluster.state().applications.find_by_driver(x.driver));
}
