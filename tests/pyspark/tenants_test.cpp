// Users of two companies run programs of PySpark on one cluster.

#include <fstream>
#include <iomanip>
#include <utility>

#include "tests/pyspark/pyspark_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

/// The first has three times what the second has.
constexpr const char* two_companies = R"(
[companies.first]
cores = 6
memory = "6g"

[companies.second]
cores = 2
memory = "2g"

[users.ann]
company = "first"

[users.ben]
company = "second"
)";

struct SharingCluster : PySparkCluster {
  using PySparkCluster::PySparkCluster;

  void start_sharing_master() {
    std::ofstream{path("tenants.toml")} << two_companies;
    auto words = master_options();
    words.insert(words.end(),
                 {"--spark-users", "any", "--tenants", path("tenants.toml")});
    start_master(words);
  }

  /// A driver of a user's, whose job wants eight executors of one core.
  /// @param setting of the options of its executors' JVM
  Process& submit_held(const std::string& user, const std::string& setting) {
    auto words
        = submit_words(versions.back(),
                       {"--name", "sums of " + user, "--conf",
                        "spark.dynamicAllocation.enabled=true", "--conf",
                        "spark.dynamicAllocation.shuffleTracking.enabled=true",
                        "--conf", "spark.executor.cores=1", "--conf", setting,
                        program("held.py"), path("go"), "8"});
    words.insert(words.begin() + 1, "HADOOP_USER_NAME=" + user);
    return start(words);
  }

  /// The application of a user, while it is there.
  boost::json::object application_of(const std::string& user) {
    auto status = this->status();
    for (const auto& x : status.at("active_apps").as_array())
      if (text_of(x, "user") == user)
        return x.as_object();
    return {};
  }

  /// How many executors a user's application asks for.
  int wanted_by(const std::string& user) {
    auto app = application_of(user);
    if (app.empty())
      return 0;
    auto explained
        = boost::json::parse(run({"explain", text_of(app, "id"), "--json"}).out)
              .as_object();
    const auto* target = explained.if_contains("target");
    return target == nullptr || target->is_null() ? 0
                                                  : target->to_number<int>();
  }

  /// What the executors of a company take: "3 cores, 1800 MB".
  std::string taken_by(const std::string& company) {
    auto queues = boost::json::parse(run({"queues", "--json"}).out).as_object();
    for (const auto& x : queues.at("tenants").at("companies").as_array())
      if (text_of(x, "name") == company) {
        const auto& running = x.at("figures").at("running");
        return text_of(running, "cores") + " cores, "
               + text_of(running, "memory_mb") + " MB";
      }
    return "nothing";
  }

  /// What both take, once they take so much.
  using Shares = std::pair<std::string, std::string>;
  Shares shares_that_become(const Shares& expected) {
    Shares result;
    eventually(
        [&] {
          result = {taken_by("first"), taken_by("second")};
          return result == expected;
        },
        patience_with_jvms);
    return result;
  }
};

} // namespace

TEST_CASE("companies whose Spark programs want everything share the cluster by "
          "what they purchased") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  SharingCluster cluster{versions};
  cluster.start_sharing_master();
  auto& ann = cluster.submit_held(
      "ann", "spark.executor.extraJavaOptions=-Dstoker.app.cores.max=5 "
             "-Dstoker.app.task.memory.mb=600");
  auto& ben = cluster.submit_held(
      "ben", "spark.executor.extraJavaOptions=-Dstoker.app.task.memory.mb=500");
  REQUIRE(eventually(
      [&] {
        return cluster.wanted_by("ann") == 8 && cluster.wanted_by("ben") == 8;
      },
      patience_with_jvms));
  CHECK(text_of(cluster.application_of("ann"), "name") == "sums of ann");
  CHECK(text_of(cluster.application_of("ben"), "name") == "sums of ben");
  SharingCluster::Shares by_purchase{"3 cores, 1800 MB", "1 cores, 500 MB"};
  cluster.add_worker(4);
  CHECK(cluster.shares_that_become(by_purchase) == by_purchase);
  // What the first company purchased is six, and its application may have five.
  SharingCluster::Shares by_limit{"5 cores, 3000 MB", "3 cores, 1500 MB"};
  cluster.add_worker(4);
  CHECK(cluster.shares_that_become(by_limit) == by_limit);
  std::ofstream{cluster.path("go")};
  for (auto* driver : {&ann, &ben}) {
    auto result = driver->result(patience_with_jvms);
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "sum: 28\n");
  }
  SharingCluster::Shares nothing{"0 cores, 0 MB", "0 cores, 0 MB"};
  CHECK(cluster.shares_that_become(nothing) == nothing);
}

TEST_CASE("a driver of Spark's hears that its user has no company") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  SharingCluster cluster{versions};
  cluster.start_sharing_master();
  auto& eve = cluster.submit_held("eve", "spark.cores.max=1");
  CHECK(eventually(
      [&] { return says(eve, "user eve is not in the tenants file"); },
      patience_with_jvms));
}

TEST_CASE("a driver and the application of its spark-submit count as one") {
  auto versions = pyspark_versions();
  if (versions.empty())
    return;
  PySparkCluster cluster{versions};
  auto file = cluster.path("tenants.toml");
  std::ofstream{file} << "[companies.one]\n[users." << std::quoted(os_user())
                      << "]\ncompany = \"one\"\nmax_applications = 1\n";
  auto options = cluster.master_options();
  options.insert(options.end(), {"--tenants", file});
  cluster.start_master(options);
  cluster.add_worker(3);
  std::ofstream{cluster.path("go")};
  std::vector<std::string> words{"submit", "--export", "ALL", "--"};
  for (auto& word : cluster.submit_words(
           versions.front(),
           {"--conf", "spark.executor.cores=1", "--conf", "spark.cores.max=1",
            program("held.py"), cluster.path("go"), "1"}))
    words.push_back(std::move(word));
  auto submitted = cluster.run(words);
  REQUIRE(submitted.status == 0);
  REQUIRE(eventually(
      [&] { return !cluster.status().at("completed_apps").as_array().empty(); },
      patience_with_jvms));
  CHECK(text_of(ended_application(cluster), "state") == "FINISHED");
}
