// Settings by their names: embedding/settings.hpp.

#include "embedding/settings.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/problem.hpp"

using namespace stoker;
using namespace std::chrono_literals;

namespace {

template <class T>
std::string
apply(T& target,
      const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : pairs)
    settings.push_back({name, value, "--conf"});
  if constexpr (requires { apply_settings(settings, target); }) {
    return test::problem_in(apply_settings(settings, target));
  } else if constexpr (std::is_same_v<T, ClusterConfig>) {
    MasterStorage storage;
    PageSettings pages;
    return test::problem_in(apply_settings(settings, target, storage, pages));
  } else {
    ResourceDiscovery resources;
    return test::problem_in(apply_settings(settings, target, resources));
  }
}

} // namespace

TEST_CASE("a setting is a name and a value", "[settings]") {
  auto x = parse_setting("a.b=c=d", "--conf");
  REQUIRE(x);
  CHECK(x->name == "a.b");
  CHECK(x->value == "c=d");
  CHECK(x->origin == "--conf");
  CHECK(parse_setting("a=", "")->value.empty());
  CHECK_FALSE(parse_setting("a", ""));
  CHECK_FALSE(parse_setting("=c", ""));
  CHECK_FALSE(parse_setting("", ""));
}

TEST_CASE("a policy can be written in any case, as in Spark", "[settings]") {
  using enum WorkerSelectionPolicy;
  auto [text, expected] = GENERATE(table<std::string, WorkerSelectionPolicy>({
      {"CORES_FREE_DESC", CORES_FREE_DESC},
      {"cores_free_asc", CORES_FREE_ASC},
      {"Memory_Free_Desc", MEMORY_FREE_DESC},
      {"memory_FREE_asc", MEMORY_FREE_ASC},
      {"worker_id", WORKER_ID},
  }));
  ClusterConfig x;
  CHECK(apply(x, {{"spark.deploy.workerSelectionPolicy", text}}) == "");
  CHECK(x.worker_selection == expected);
  CHECK(apply(x, {{"spark.deploy.workerSelectionPolicy", text + "X"}})
        == "--conf: spark.deploy.workerSelectionPolicy is '" + text
               + "X', which is not one of CORES_FREE_DESC, CORES_FREE_ASC, "
                 "MEMORY_FREE_DESC, MEMORY_FREE_ASC, WORKER_ID");
  CHECK(x.worker_selection == expected);
}

TEST_CASE("Spark's newer name for spreading out works too", "[settings]") {
  ClusterConfig x;
  CHECK(apply(x, {{"spark.deploy.spreadOutApps", "false"}}) == "");
  CHECK_FALSE(x.spread_out);
}

TEST_CASE("a time-out too short for heartbeats is refused", "[settings]") {
  WorkerConfig x;
  CHECK(apply(x, {{"spark.worker.timeout", "3ms"}})
        == "--conf: spark.worker.timeout is '3ms', which is not a duration "
           "like 60s");
}

TEST_CASE("a cluster in one process takes the settings of both", "[settings]") {
  LocalClusterConfig x;
  CHECK(apply(x, {{"spark.worker.timeout", "8s"},
                  {"stoker.kill.grace", "2s"},
                  {"spark.deploy.defaultCores", "7"}})
        == "");
  CHECK(x.cluster.worker_timeout == 8s);
  CHECK(x.worker.heartbeat_interval == 2s);
  CHECK(x.worker.kill_grace == 2s);
  CHECK(x.cluster.default_cores == 7);
}

TEST_CASE("an application's cores have two names", "[settings]") {
  ApplicationDescription x;
  CHECK(apply(x, {{"spark.app.cores.max", "9"}}) == "");
  CHECK(x.max_cores == 9);
}

TEST_CASE("a time limit of nothing is none, as of the option", "[settings]") {
  for (const auto* text : {"0", "0s", "0ms"}) {
    INFO(text);
    ApplicationDescription x;
    CHECK(apply(x, {{"stoker.app.timeLimit", text}}) == "");
    CHECK_FALSE(x.time_limit_ms);
    // It counts more than what came before it, and less than what comes after.
    CHECK(apply(x, {{"stoker.app.timeLimit", "90s"},
                    {"stoker.app.timeLimit", text}})
          == "");
    CHECK_FALSE(x.time_limit_ms);
    CHECK(apply(x, {{"stoker.app.timeLimit", text},
                    {"stoker.app.timeLimit", "90s"}})
          == "");
    CHECK(x.time_limit_ms == 90'000);
  }
}

TEST_CASE("a time limit is a duration, and not negative", "[settings]") {
  ApplicationDescription x;
  for (const auto* text : {"-1s", "-1ms", "-0.5s", "soon", ""})
    CHECK(apply(x, {{"stoker.app.timeLimit", text}})
          == "--conf: stoker.app.timeLimit is '" + std::string{text}
                 + "', which is not a duration like 90s or 2h");
  CHECK_FALSE(x.time_limit_ms);
}

TEST_CASE("a later setting wins", "[settings]") {
  ClusterConfig x;
  CHECK(apply(x, {{"spark.deploy.defaultCores", "7"},
                  {"spark.deploy.defaultCores", "8"}})
        == "");
  CHECK(x.default_cores == 8);
}

TEST_CASE("a wrong setting is named with where it was given", "[settings]") {
  ClusterConfig x;
  CHECK(apply(x, {{"spark.deploy.defaultCores", "many"}})
        == "--conf: spark.deploy.defaultCores is 'many', which is not a whole "
           "number");
  CHECK(apply(x, {{"spark.worker.timeout", "soon"}})
        == "--conf: spark.worker.timeout is 'soon', which is not a duration "
           "like 15s or 500ms");
  CHECK(apply(x, {{"spark.deploy.spreadOut", "yes"}})
        == "--conf: spark.deploy.spreadOut is 'yes', which is not true or "
           "false");
  ApplicationDescription app;
  CHECK(apply(app, {{"spark.executor.memory", "2 lots"}})
        == "--conf: spark.executor.memory is '2 lots', which is not a memory "
           "size like 512m or 4g");
}

TEST_CASE("a setting of something else is refused, not ignored", "[settings]") {
  ClusterConfig x;
  CHECK(apply(x, {{"spark.executor.memory", "2g"}})
        == "--conf: spark.executor.memory is not a setting of this command");
}

TEST_CASE("what outlives a master can be chosen, and no unknown mode",
          "[settings]") {
  auto apply_to = [](MasterStorage& x, const std::string& name,
                     const std::string& value) {
    ClusterConfig config;
    PageSettings pages;
    return test::problem_in(
        apply_settings({{name, value, "--conf"}}, config, x, pages));
  };
  MasterStorage x;
  CHECK(apply_to(x, "spark.deploy.recoveryMode", "NONE") == "");
  CHECK(x.mode == RecoveryMode::NONE);
  for (const auto* mode : {"SQLITE", "FILESYSTEM", "ROCKSDB"}) {
    x.mode = RecoveryMode::NONE;
    CHECK(apply_to(x, "spark.deploy.recoveryMode", mode) == "");
    CHECK(x.mode == RecoveryMode::SQLITE);
  }
  CHECK(apply_to(x, "spark.deploy.recoveryDirectory", "/d") == "");
  CHECK(x.directory == "/d");
  CHECK(x.durable());
  for (const auto* mode : {"ZOOKEEPER", "sqlite", "", "NONE "})
    CHECK(apply_to(x, "spark.deploy.recoveryMode", mode)
              .find("which is not one of SQLITE, NONE")
          != std::string::npos);
  CHECK(apply_to(x, "spark.deploy.recoveryDirectory", "") != "");
}
