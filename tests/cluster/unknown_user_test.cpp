// Users whom the tenants file does not know, on each way into a cluster: `run` is in
// tenants_test.cpp, Spark's client mode in tests/pyspark, its cluster mode in tests/gateway.

#include <boost/json.hpp>

#include "tests/cluster/shared_cluster.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace stoker::test;

namespace {

/// A cluster that this user may not use, with pages and submissions over HTTP.
struct ClosedCluster : SharedCluster {
  std::uint16_t web_port = reserve_port();
  std::uint16_t rest_port = reserve_port();

  /// Submissions of Spark's are for clusters that its drivers find.
  std::uint16_t spark_port = reserve_port();
  const std::string why = "user " + os_user() + ' ' + nobody_else;

  ClosedCluster() {
    write_unknown();
    start_local({"--cores", "2", "--memory", "1g", "--tenants", file,
                 "--web-port", std::to_string(web_port), "--rest-port",
                 std::to_string(rest_port), "--spark-port",
                 std::to_string(spark_port)});
  }

  /// Nothing of what was refused is kept.
  void check_nothing_is_there() {
    auto state = status();
    for (const auto* name : {"active_apps", "completed_apps", "active_drivers",
                             "completed_drivers"})
      CHECK(state.at(name).as_array().empty());
  }
};

/// What follows the fields of the answer to a POST of JSON.
boost::json::object answer_to_post(std::uint16_t port, const std::string& path,
                                   const std::string& body) {
  SocketClient client{port};
  client.send("POST " + path
              + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Content-Length: "
              + std::to_string(body.size()) + "\r\n\r\n" + body);
  auto answer = client.receive(1'000'000);
  auto begin = answer.find("\r\n\r\n");
  REQUIRE(begin != std::string::npos);
  return boost::json::parse(answer.substr(begin + 4)).as_object();
}

} // namespace

TEST_CASE("a command refuses a user when the tenants file does not know them") {
  ClosedCluster cluster;
  check_refusal(cluster.run({"submit", "--", "true"}), 1, cluster.why);
  check_refusal(cluster.run({"submit", "--wait", "--", "true"}), 1,
                cluster.why);
  check_refusal(cluster.run({"job", "--input", cluster.file, "--map", "cat"}),
                1, cluster.why);
  check_refusal(cluster.run({"run", "--barrier", "--", "true"}), 1,
                cluster.why);
  cluster.check_nothing_is_there();
}

TEST_CASE(
    "a submission over HTTP fails when the tenants file does not know its "
    "user") {
  ClosedCluster cluster;
  SECTION("in Spark's form") {
    auto answer = answer_to_post(
        cluster.rest_port, "/v1/submissions/create",
        R"({"action":"CreateSubmissionRequest","appResource":"/a.jar",)"
        R"("mainClass":"Main","clientSparkVersion":"4.1.4",)"
        R"("sparkProperties":{}})");
    INFO(boost::json::serialize(answer));
    CHECK(answer.at("success") == false);
    CHECK(contains(text_of(answer, "message"), cluster.why));
  }
  SECTION("in Stoker's form") {
    auto answer = answer_to_post(cluster.web_port, "/api/v1/drivers",
                                 R"({"command":["true"]})");
    INFO(boost::json::serialize(answer));
    CHECK(answer.at("status") == 409);
    CHECK(contains(text_of(answer, "detail"), cluster.why));
  }
  cluster.check_nothing_is_there();
}

TEST_CASE("the Python client raises an error when the tenants file does not "
          "know its user") {
  ClosedCluster cluster;
  cluster.environment["PYTHONPATH"] = STOKER_ROOT "/clients/python/src";
  cluster.environment["STOKER_WEB_URL"]
      = "http://127.0.0.1:" + std::to_string(cluster.web_port);
  auto result = cluster
                    .Sandbox::start({"/usr/bin/python3", "-B", "-c",
                                     "import stoker\n"
                                     "try:\n"
                                     "    stoker.Client().submit(['true'])\n"
                                     "except stoker.Error as error:\n"
                                     "    print(error.status, error.detail)\n"})
                    .result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "409 "));
  CHECK(contains(result.out, cluster.why));
  cluster.check_nothing_is_there();
}
