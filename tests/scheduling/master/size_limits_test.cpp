// What is too large to be remembered is refused, and changes nothing.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scheduling/common/limits.hpp"
#include "scheduling/master/cluster.hpp"
#include "scheduling/master/size_limits.hpp"
#include "tests/support/catch.hpp"

using namespace stoker;

namespace {

/// A leader with nothing.
struct LimitedMaster {
  Cluster cluster{[] {
    ClusterConfig config;
    config.master_url = "stoker://m:1";
    return config;
  }()};

  LimitedMaster() {
    (void)cluster.step(Instant{}, ElectedLeader{LeaderEpoch{1}, {}});
  }

  /// Why an event is refused; empty: it is not.
  std::string refusal(const Event& what) {
    auto result = cluster.step(Instant{}, what);
    for (const auto& x : result.messages)
      if (const auto* sent = std::get_if<Send>(&x)) {
        if (const auto* worker
            = std::get_if<RegisterWorkerFailed>(&sent->message))
          return worker->message;
        if (const auto* app = std::get_if<ApplicationRemoved>(&sent->message))
          return app->message;
      } else if (const auto* reply = std::get_if<Reply>(&x)) {
        if (const auto* submitted
            = std::get_if<SubmitDriverResponse>(&reply->answer))
          return submitted->message;
        if (std::get_if<bool>(&reply->answer) != nullptr)
          return std::get<bool>(reply->answer) ? "" : "false";
      }
    return {};
  }
};

RegisterWorker worker() {
  return {WorkerId{"w"}, EndpointId{"w"}, "h", 0, 4, 4096};
}

RegisterApplication some_application() {
  RegisterApplication result;
  result.driver = EndpointId{"d"};
  result.description.name = "app";
  result.description.command.arguments = {"run"};
  return result;
}

RequestSubmitDriver some_driver() {
  RequestSubmitDriver result;
  result.driver_description.command.arguments = {"drive"};
  return result;
}

} // namespace

TEST_CASE("a worker cannot have a master remember more than a machine's worth",
          "[limits]") {
  LimitedMaster x;
  auto y = worker();
  SECTION("usual") {
    CHECK(x.refusal(y).empty());
    return;
  }
  SECTION("id") {
    y.id.value = std::string(id_bytes_max + 1, 'x');
  }
  SECTION("endpoint") {
    y.worker.value = std::string(id_bytes_max + 1, 'x');
  }
  SECTION("host") {
    y.host = std::string(id_bytes_max + 1, 'x');
  }
  SECTION("cores") {
    y.cores = cores_max + 1;
  }
  SECTION("memory") {
    y.memory_mb = memory_mb_max + 1;
  }
  SECTION("kinds of resources") {
    for (std::size_t i = 0; i <= kinds_max; ++i)
      y.resources["r" + std::to_string(i)] = {"0"};
  }
  SECTION("versions of Spark") {
    y.spark_versions.assign(kinds_max + 1, "3.5.9");
  }
  CHECK_FALSE(x.refusal(y).empty());
  CHECK(x.cluster.state().workers.all().empty());
}

TEST_CASE("an application cannot have a master remember more than it runs",
          "[limits]") {
  LimitedMaster x;
  auto y = some_application();
  auto& description = y.description;
  SECTION("usual") {
    CHECK(x.refusal(y).empty());
    auto id = x.cluster.state().applications.all().begin()->second.stored.id;
    RequestExecutors more{id, 1, std::map<std::string, int>{}};
    for (std::size_t i = 0; i <= hosts_max; ++i)
      (*more.preferred_hosts)["h" + std::to_string(i)] = 1;
    CHECK(x.refusal(more) == "false");
    return;
  }
  SECTION("name") {
    description.name = std::string(name_bytes_max + 1, 'x');
  }
  SECTION("user") {
    description.user = std::string(name_bytes_max + 1, 'x');
  }
  SECTION("endpoint") {
    y.driver.value = std::string(id_bytes_max + 1, 'x');
  }
  SECTION("arguments") {
    description.command.arguments.resize(command_bytes_max);
    description.command.arguments.front() = "run";
  }
  SECTION("environment") {
    description.command.environment["X"] = std::string(command_bytes_max, 'x');
  }
  SECTION("class path") {
    description.command.spark.emplace();
    description.command.spark->version = "3.5.9";
    description.command.spark->main_class = "Main";
    description.command.spark->class_path_entries.resize(command_bytes_max);
  }
  SECTION("page of Spark's driver") {
    description.spark_driver
        = SparkDriver{"h", 1, "3.5.9", std::string(name_bytes_max + 1, 'x')};
  }
  SECTION("host of Spark's driver") {
    description.spark_driver
        = SparkDriver{std::string(id_bytes_max + 1, 'x'), 1, "3.5.9", ""};
  }
  SECTION("hosts") {
    for (std::size_t i = 0; i <= hosts_max; ++i)
      description.preferred_hosts["h" + std::to_string(i)] = 1;
  }
  SECTION("time limit") {
    description.time_limit_ms = std::numeric_limits<std::int64_t>::max();
  }
  SECTION("kinds of resources") {
    for (std::size_t i = 0; i <= kinds_max; ++i)
      description.resources_per_executor["r" + std::to_string(i)] = 1;
  }
  CHECK_FALSE(x.refusal(y).empty());
  CHECK(x.cluster.state().applications.all().empty());
}

TEST_CASE("a program of Spark's that nothing could start is refused",
          "[limits][spark]") {
  LimitedMaster x;
  auto y = some_application();
  auto& command = y.description.command;
  command.arguments.clear();
  command.spark = SparkProgram{"3.5.9", "Main", {}, {}, {}};
  y.description.spark_driver = SparkDriver{"h", 7077, "3.5.9", ""};
  std::string expected;
  SECTION("usual, without arguments") {
  }
  SECTION("no class") {
    command.spark->main_class.clear();
    expected = "the application has no class that Spark could run";
  }
  SECTION("no version") {
    command.spark->version = "3.5";
    expected = "'3.5' is no version of Spark: three numbers are needed, as in "
               "3.5.9";
  }
  SECTION("no port") {
    y.description.spark_driver->port = 0;
    expected = "the driver needs a host, and a port from 1 to 65535";
  }
  SECTION("nothing that its driver understands") {
    y.description.spark_driver->wire_version.clear();
    expected
        = "'' is no version of Spark: three numbers are needed, as in 3.5.9";
  }
  CHECK(x.refusal(y) == expected);
  auto z = some_driver();
  z.driver_description.command = command;
  auto refused = !expected.empty() && x.refusal(z) != "";
  CHECK(refused
        == (command.spark->main_class.empty()
            || command.spark->version == "3.5"));
}

TEST_CASE("a worker cannot have a Spark that is none", "[limits][spark]") {
  LimitedMaster x;
  auto y = worker();
  y.spark_versions = {"3.5.9", "4"};
  CHECK(x.refusal(y)
        == "'4' is no version of Spark: three numbers are needed, as in 3.5.9");
  y.spark_versions.clear();
  y.only_spark = true;
  CHECK(x.refusal(y)
        == "a worker that runs nothing but Spark's programs needs a version of "
           "Spark");
  CHECK(x.cluster.state().workers.all().empty());
}

TEST_CASE("a driver cannot have a master remember more than it runs",
          "[limits]") {
  LimitedMaster x;
  auto y = some_driver();
  SECTION("usual") {
    CHECK(x.refusal(y).empty());
    return;
  }
  SECTION("submission") {
    y.submission = std::string(id_bytes_max + 1, 'x');
  }
  SECTION("arguments") {
    y.driver_description.command.arguments.emplace_back(command_bytes_max, 'x');
  }
  SECTION("kinds of resources of its executors") {
    y.driver_description.executors.emplace();
    for (std::size_t i = 0; i <= kinds_max; ++i)
      y.driver_description.executors->resources["r" + std::to_string(i)] = 1;
  }
  CHECK_FALSE(x.refusal(y).empty());
  CHECK(x.cluster.state().drivers.all().empty());
}

TEST_CASE("a driver cannot have a master remember more of its jobs than people "
          "read",
          "[limits]") {
  ReportJobs x;
  x.jobs.resize(reported_jobs_max);
  x.stages.resize(reported_stages_max);
  x.stages.back().jobs.resize(reported_jobs_max);
  // Characters, and not bytes.
  for (std::size_t i = 0; i < reported_name_max; ++i)
    x.jobs.back().name += "\u00e9";
  SECTION("usual") {
    CHECK(check_sizes(x));
    return;
  }
  SECTION("jobs") {
    x.jobs.emplace_back();
  }
  SECTION("stages") {
    x.stages.emplace_back();
  }
  SECTION("jobs of a stage") {
    x.stages.back().jobs.emplace_back();
  }
  SECTION("a job's name") {
    x.jobs.back().name += 'x';
  }
  SECTION("a pool's name") {
    x.jobs.front().pool = std::string(reported_name_max + 1, 'x');
  }
  SECTION("the reason of an end") {
    x.jobs.back().message = std::string(reported_text_max + 1, 'x');
  }
  SECTION("a stage's name") {
    x.stages.back().name = std::string(reported_name_max + 1, 'x');
  }
  SECTION("why it waits") {
    x.stages.front().waits = std::string(reported_text_max + 1, '\xff');
  }
  CHECK(check_sizes(x).code() == Errc::invalid_request);
}
