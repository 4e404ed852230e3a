// Where drivers go: at random, but in turn.

#include <functional>
#include <map>
#include <set>
#include <string>

#include <boost/mp11/algorithm.hpp>

#include "scheduling/master/snapshot.hpp"
#include "tests/support/catch.hpp"
#include "tools/conformance/cluster_hook.hpp"

using namespace stoker;

namespace {

/// A cluster with `workers` alike, w0, w1, ..., and `drivers` of one core that
/// wait, before any pass.
Cluster cluster_with(std::uint64_t seed, int workers, int drivers) {
  ClusterConfig config;
  config.seed = seed;
  Cluster result{config};
  ClusterHook::apply(result, {}, ElectedLeader{});
  for (int i = 0; i < workers; ++i) {
    auto name = "w" + std::to_string(i);
    ClusterHook::apply(
        result, {},
        RegisterWorker{WorkerId{name}, EndpointId{name}, name, 0, 8, 8192});
  }
  for (int i = 0; i < drivers; ++i) {
    DriverDescription description;
    description.command.arguments = {"driver"};
    ClusterHook::apply(result, {}, RequestSubmitDriver{description});
  }
  return result;
}

/// How many drivers a pass starts on each worker.
std::map<std::string, int> launched(Cluster cluster) {
  std::map<std::string, int> result;
  for (const auto& effect : ClusterHook::pass(cluster, {}))
    if (const auto* x = std::get_if<StartDriver>(&effect))
      ++result[x->to.value];
  return result;
}

/// A leader, as those see it who submit drivers to it.
struct Submitters {
  Cluster cluster{[] {
    ClusterConfig config;
    config.durable = true;
    return config;
  }()};

  Submitters() {
    (void)cluster.step({}, ElectedLeader{LeaderEpoch{1}, {}});
  }

  SubmitDriverResponse submit(const RequestSubmitDriver& x) {
    for (const auto& message : cluster.step({}, x).messages)
      if (const auto* reply = std::get_if<Reply>(&message))
        return std::get<SubmitDriverResponse>(reply->answer);
    FAIL("a submission is not answered");
    return {};
  }

  [[nodiscard]] const StoredDriver& driver(const DriverId& id) const {
    const auto& drivers = cluster.state().drivers;
    return drivers.at(drivers.find(id).value()).stored;
  }

  /// One that has something of all that may be asked for, but files and Spark; and waits.
  RequestSubmitDriver large_submission() {
    RequestSubmitDriver before;
    before.driver_description.command.arguments = {"before"};
    RequestSubmitDriver result;
    result.submission = "s1";
    auto& x = result.driver_description;
    x.name = "report";
    x.user = "ann";
    x.command.arguments = {"report"};
    x.command.environment = {{"TOKEN", "1"}};
    x.supervise = true;
    x.max_restarts = 3;
    x.after = {Dependency{{}, submit(before).driver_id, false}};
    x.on_end = EndHook{{{"mail"}, {}, {}, {}, false, {}, {}}, 2};
    return result;
  }
};

using Change = std::function<void(DriverDescription&)>;

/// Makes one that asks for something else, for each field; those of the command have a dot.
const std::map<std::string, Change>& changes_of_fields() {
  static const std::map<std::string, Change> result{
      {"name", [](auto& x) { x.name += "2"; }},
      {"user", [](auto& x) { x.user = "bob"; }},
      {".arguments", [](auto& x) { x.command.arguments.emplace_back("-v"); }},
      {".environment", [](auto& x) { x.command.environment["TOKEN"] = "2"; }},
      {".search_path", [](auto& x) { x.command.search_path = "/opt/bin"; }},
      {".working_directory",
       [](auto& x) { x.command.working_directory = "/tmp"; }},
      {".working_directory_required",
       [](auto& x) { x.command.working_directory_required = true; }},
      {".spark",
       [](auto& x) {
         x.command.spark = SparkProgram{"3.5.9", "Main", {}, {}, {}};
       }},
      {".files",
       [](auto& x) {
         x.command.files = {{"a", std::string(64, 'a'), 1, false}};
       }},
      {"cores", [](auto& x) { ++x.cores; }},
      {"memory_mb", [](auto& x) { ++x.memory_mb; }},
      {"supervise", [](auto& x) { x.supervise = false; }},
      {"reject_if_it_cannot_fit",
       [](auto& x) { x.reject_if_it_cannot_fit = true; }},
      {"resources", [](auto& x) { x.resources["gpu"] = 1; }},
      {"executors", [](auto& x) { x.executors = DriverExecutors{}; }},
      {"max_restarts", [](auto& x) { x.max_restarts.reset(); }},
      {"after", [](auto& x) { x.after.front().success = true; }},
      {"on_end", [](auto& x) { ++x.on_end->retries; }}};
  return result;
}

/// Of the description, and of its command.
std::set<std::string> names_of_fields() {
  std::set<std::string> result;
  boost::mp11::mp_for_each<MembersOf<DriverDescription>>(
      [&](auto x) { result.insert(x.name); });
  result.erase("command");
  boost::mp11::mp_for_each<MembersOf<Command>>(
      [&](auto x) { result.insert('.' + std::string{x.name}); });
  return result;
}

} // namespace

TEST_CASE("drivers take the workers in turn", "[scheduling]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    auto one_round = launched(cluster_with(seed, 5, 5));
    CHECK(one_round.size() == 5);
    // A second round begins when all have got one.
    auto counts = launched(cluster_with(seed, 3, 7));
    int all = 0;
    for (const auto& [worker, count] : counts) {
      CHECK((count == 2 || count == 3));
      all += count;
    }
    CHECK(all == 7);
  }
}

TEST_CASE("the end of a driver is stored also when it is forgotten at once",
          "[scheduling]") {
  ClusterConfig config;
  config.durable = true;
  config.retained_drivers = 0;
  Cluster cluster{config};
  ClusterHook::apply(cluster, {}, ElectedLeader{});
  // Many end at one moment: those that wait for the first to succeed.
  RequestSubmitDriver first;
  first.driver_description.command.arguments = {"driver"};
  (void)cluster.step({}, first);
  REQUIRE(cluster.state().drivers.all().size() == 1);
  auto id = cluster.state().drivers.all().begin()->second.stored.id;
  auto others = first;
  others.driver_description.after = {Dependency{{}, id, true}};
  for (int i = 0; i < 3; ++i)
    (void)cluster.step({}, others);
  std::set<std::string> stored;
  std::set<std::string> erased;
  for (const auto& change : cluster.step({}, RequestKillDriver{id}).changes) {
    if (const auto* driver = std::get_if<StoredDriver>(&change)) {
      CHECK(is_finished(driver->state));
      CHECK_FALSE(erased.contains(driver->id.value));
      stored.insert(driver->id.value);
    }
    if (const auto* gone = std::get_if<EraseDriver>(&change))
      erased.insert(gone->id.value);
  }
  CHECK(stored.size() == 4);
  CHECK(erased == stored);
}

TEST_CASE("a restart that was not made after all does not count",
          "[scheduling]") {
  auto cluster = cluster_with(1, 1, 1);
  (void)ClusterHook::pass(cluster, {});
  const auto& driver = cluster.state().drivers.all().begin()->second.stored;
  auto tell = [&](DriverState state, int restarts) {
    ClusterHook::apply(
        cluster, {},
        DriverStateChanged{driver.id, state, std::nullopt, 3, restarts});
  };
  tell(DriverState::RUNNING, 1);
  // What was sent before.
  tell(DriverState::RUNNING, 0);
  CHECK(driver.restarts == 1);
  SECTION("it ends while it pauses") {
    tell(DriverState::KILLED, 0);
    CHECK(driver.restarts == 0);
  }
  SECTION("it ends when it runs again") {
    tell(DriverState::FINISHED, 1);
    CHECK(driver.restarts == 1);
  }
}

TEST_CASE("the first driver's worker depends on chance alone", "[scheduling]") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto first = launched(cluster_with(seed, 4, 1));
    REQUIRE(first.size() == 1);
    CHECK(first == launched(cluster_with(seed, 4, 1)));
    seen.insert(first.begin()->first);
  }
  CHECK(seen.size() == 4);
}

TEST_CASE("drivers are served before applications", "[scheduling]") {
  auto cluster = cluster_with(1, 1, 8);
  RegisterApplication application;
  application.driver = EndpointId{"a"};
  application.description.command.arguments = {"executor"};
  ClusterHook::apply(cluster, {}, application);
  CHECK(launched(cluster)["w0"] == 8);
}

TEST_CASE(
    "a submission's id is refused for a request that differs in any field",
    "[scheduling]") {
  Submitters x;
  auto first = x.large_submission();
  auto id = x.submit(first).driver_id;
  REQUIRE(id);
  std::set<std::string> names;
  for (const auto& [name, change] : changes_of_fields()) {
    INFO(name);
    names.insert(name);
    auto other = first;
    change(other.driver_description);
    auto answer = x.submit(other);
    CHECK_FALSE(answer.success);
    CHECK(answer.message.find("that of a request for something else")
          != std::string::npos);
  }
  CHECK(names == names_of_fields());
  CHECK(x.submit(first).driver_id == id);
}

TEST_CASE("a submission that is repeated gives its driver also where that was "
          "started again, and when it has ended",
          "[scheduling]") {
  Submitters x;
  auto first = x.large_submission();
  auto id = x.submit(first).driver_id.value();
  auto with = [&](const std::string& field) {
    auto result = first;
    changes_of_fields().at(field)(result.driver_description);
    return result;
  };
  auto step = [&](const Event& what) { (void)x.cluster.step({}, what); };
  step(
      RequestKillDriver{first.driver_description.after.front().driver.value()});
  step(RegisterWorker{WorkerId{"w"}, EndpointId{"w"}, "h", 0, 4, 4096});
  REQUIRE(x.driver(id).state == DriverState::RUNNING);
  CHECK(x.submit(first).driver_id == id);
  step(DriverStateChanged{id, DriverState::RUNNING, std::nullopt, 3, 2});
  step(WorkerLeft{WorkerId{"w"}, EndpointId{"w"}});
  auto next = x.driver(id).relaunched_as.value();
  REQUIRE(x.driver(next).description.after.empty());
  REQUIRE(x.driver(next).description.max_restarts == 1);
  CHECK(x.submit(first).driver_id == id);
  for (const auto* field :
       {".environment", "cores", "max_restarts", "after", "on_end"}) {
    INFO(field);
    CHECK_FALSE(x.submit(with(field)).success);
  }
  step(RequestKillDriver{next});
  REQUIRE(x.driver(next).state == DriverState::KILLED);
  CHECK(x.submit(first).driver_id == id);
  // Nobody knows these any more, since they may be secrets.
  for (const auto* field : {".environment", "on_end"}) {
    INFO(field);
    CHECK(x.submit(with(field)).driver_id == id);
  }
  for (const auto* field : {"cores", "max_restarts", "after"}) {
    INFO(field);
    CHECK_FALSE(x.submit(with(field)).success);
  }
}

TEST_CASE(
    "the status of a relaunched driver describes the last one and its end",
    "[scheduling]") {
  Submitters x;
  RequestSubmitDriver request;
  request.driver_description.command.arguments = {"serve"};
  request.driver_description.supervise = true;
  auto id = x.submit(request).driver_id.value();
  auto step = [&](const Event& what) { (void)x.cluster.step({}, what); };
  auto status = [&] { return driver_status(x.cluster.state(), id); };
  step(RegisterWorker{WorkerId{"w1"}, EndpointId{"w1"}, "h1", 7, 4, 4096});
  step(DriverStateChanged{id, DriverState::RUNNING, std::nullopt, {}});
  CHECK(status().worker_id == WorkerId{"w1"});
  CHECK(status().worker_host_port == "h1:7");
  step(RegisterWorker{WorkerId{"w2"}, EndpointId{"w2"}, "h2", 0, 4, 4096});
  step(WorkerLeft{WorkerId{"w1"}, EndpointId{"w1"}});
  auto next = x.driver(id).relaunched_as.value();
  CHECK(status().state == x.driver(next).state);
  CHECK(status().worker_id == WorkerId{"w2"});
  // The worker does not listen.
  CHECK(status().worker_host_port == "h2");
  step(DriverStateChanged{next, DriverState::FAILED, "it broke", 1});
  CHECK(status().state == DriverState::FAILED);
  CHECK(status().exception == "it broke");
  // Where it ran is known after its end, too.
  CHECK(status().worker_id == WorkerId{"w2"});
  CHECK(status().worker_host_port == "h2");
}
