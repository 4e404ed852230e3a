// Named resources on their way from a worker's machine to its programs.

#include <set>

#include "scheduling/worker/resource_environment.hpp"
#include "tests/scheduling/worker/played_worker.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

using Environment = std::map<std::string, std::string>;

const ResourceAddresses two_gpus{{"gpu", {"0", "3"}}};

/// A registered worker.
struct ResourcesFixture {
  stoker::test::PlayedWorker worker;
  Instant now;

  ResourcesFixture() {
    worker.start_registered(now);
  }

  /// The environment of what `what` has the worker start.
  template <class T>
  Environment started_by(const T& what) {
    for (const auto& effect : worker.step(now, what))
      if (const auto* start = std::get_if<StartProcess>(&effect))
        return start->command.environment;
    FAIL("nothing was started");
    return {};
  }
};

LaunchExecutor executor() {
  LaunchExecutor result;
  result.app_id = AppId{"app-1"};
  result.app_desc.command.arguments = {"work"};
  result.cores = 1;
  result.memory_mb = 512;
  return result;
}

LaunchDriver driver() {
  LaunchDriver result;
  result.driver_id = DriverId{"driver-1"};
  result.driver_desc.command.arguments = {"work"};
  return result;
}

} // namespace

TEST_CASE(
    "programs are looked for where their submitter has them, then where the "
    "worker does") {
  auto config = stoker::test::traced_worker();
  config.environment["PATH"] = "/usr/bin:/opt/tools/bin:/bin";
  stoker::test::PlayedWorker worker{config};
  worker.start_registered(Instant{});
  auto path_of = [&](const LaunchExecutor& what) -> std::string {
    for (const auto& effect : worker.step(Instant{}, what))
      if (const auto* start = std::get_if<StartProcess>(&effect))
        return start->command.environment.at("PATH");
    return "nothing was started";
  };
  auto x = executor();
  CHECK(path_of(x) == "/usr/bin:/opt/tools/bin:/bin");
  x.exec_id = 1;
  x.app_desc.command.search_path = "/home/ann/venv/bin:/usr/bin:/bin";
  CHECK(path_of(x) == "/home/ann/venv/bin:/usr/bin:/bin:/opt/tools/bin");
  x.exec_id = 2;
  x.app_desc.command.environment["PATH"] = "/only/here";
  CHECK(path_of(x) == "/only/here");
}

TEST_CASE("each resource has a variable, and GPUs that of CUDA too",
          "[resources]") {
  Environment x{{"PATH", "/bin"}};
  add_resources({{"gpu", {"0", "3"}}, {"fpga-x_1", {"a:b"}}}, x);
  CHECK(x
        == Environment{{"PATH", "/bin"},
                       {"STOKER_RESOURCE_GPU", "0,3"},
                       {"CUDA_VISIBLE_DEVICES", "0,3"},
                       {"STOKER_RESOURCE_FPGA_X_1", "a:b"}});
}

TEST_CASE_METHOD(ResourcesFixture,
                 "an executor learns which resources are its own",
                 "[resources]") {
  auto x = executor();
  x.resources = two_gpus;
  auto environment = started_by(x);
  CHECK(environment.at("STOKER_RESOURCE_GPU") == "0,3");
  CHECK(environment.at("CUDA_VISIBLE_DEVICES") == "0,3");
}

TEST_CASE_METHOD(ResourcesFixture,
                 "an executor cannot name resources as its own",
                 "[resources]") {
  auto x = executor();
  x.resources = two_gpus;
  x.app_desc.command.environment
      = {{"STOKER_RESOURCE_GPU", "1"}, {"CUDA_VISIBLE_DEVICES", "1"}};
  auto environment = started_by(x);
  CHECK(environment.at("STOKER_RESOURCE_GPU") == "0,3");
  CHECK(environment.at("CUDA_VISIBLE_DEVICES") == "0,3");
}

TEST_CASE_METHOD(ResourcesFixture,
                 "an executor without resources is told of none",
                 "[resources]") {
  auto environment = started_by(executor());
  CHECK_FALSE(environment.contains("STOKER_RESOURCE_GPU"));
  CHECK_FALSE(environment.contains("CUDA_VISIBLE_DEVICES"));
}

TEST_CASE_METHOD(ResourcesFixture,
                 "a driver keeps its resources when it starts again",
                 "[resources]") {
  auto x = driver();
  x.driver_desc.supervise = true;
  x.resources = two_gpus;
  CHECK(started_by(x).at("STOKER_RESOURCE_GPU") == "0,3");
  (void)worker.step(now, ProcessEnded{x.driver_id, 1, std::nullopt});
  now += 1s;
  auto environment = started_by(WorkerTick{});
  CHECK(environment.at("STOKER_RESOURCE_GPU") == "0,3");
  CHECK(environment.at("CUDA_VISIBLE_DEVICES") == "0,3");
}

TEST_CASE("a worker tells the master which resources it has", "[resources]") {
  auto config = stoker::test::traced_worker();
  config.resources = two_gpus;
  stoker::test::PlayedWorker worker{config};
  (void)worker.step({}, WorkerStarted{});
  std::optional<RegisterWorker> sent;
  for (const auto& effect : worker.step({}, MasterConnected{}))
    if (const auto* x = std::get_if<SendWorkerMessage>(&effect))
      if (const auto* y = std::get_if<RegisterWorker>(&x->message))
        sent = *y;
  REQUIRE(sent);
  CHECK(sent->resources == two_gpus);
}
