// What a master answers over HTTP, as a process.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "gateway/user_name.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/gateway/socket_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/metrics_text.hpp"
#include "tests/support/peak_memory.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/unprivileged.hpp"

using namespace stoker::test;

namespace {

/// Nobody has so many cores.
const std::string driver_that_waits
    = R"({"action":"CreateSubmissionRequest","appResource":"/a.jar",)"
      R"("mainClass":"Main","clientSparkVersion":"4.1.4",)"
      R"("sparkProperties":{"spark.driver.cores":"99"}})";

/// A cluster with both ports.
struct HttpCluster : Cluster {
  std::uint16_t web_port = reserve_port();
  std::uint16_t rest_port = reserve_port();
  std::uint16_t spark_port = reserve_port();

  [[nodiscard]] std::vector<std::string> ports() const {
    return {"--web-port",   std::to_string(web_port),
            "--rest-port",  std::to_string(rest_port),
            "--spark-port", std::to_string(spark_port)};
  }
};

/// What follows the fields of an answer.
std::string content_of(std::uint16_t port, const std::string& method,
                       const std::string& path, const std::string& body = {}) {
  SocketClient client{port};
  client.send(method + ' ' + path
              + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Content-Length: "
              + std::to_string(body.size()) + "\r\n\r\n" + body);
  auto answer = client.receive(1'000'000);
  auto begin = answer.find("\r\n\r\n");
  REQUIRE(begin != std::string::npos);
  return answer.substr(begin + 4);
}

boost::json::object call(std::uint16_t port, const std::string& method,
                         const std::string& path,
                         const std::string& body = {}) {
  return boost::json::parse(content_of(port, method, path, body)).as_object();
}

/// A master and a worker, and a driver that has written so many bytes.
struct WrittenOutput : HttpCluster {
  Process& master = start_master(ports());
  Worker worker = start_worker();
  std::string path;

  explicit WrittenOutput(std::size_t bytes) {
    path = "/api/v1/drivers/"
           + text_of(call(web_port, "POST", "/api/v1/drivers",
                          R"({"command":["sh","-c","head -c )"
                              + std::to_string(bytes)
                              + R"( /dev/zero | tr '\\0' x"]})"),
                     "driver_id");
    REQUIRE(eventually([&] {
      return text_of(call(web_port, "GET", path), "state") == "FINISHED";
    }));
  }

  /// Somebody who has asked for it.
  [[nodiscard]] std::unique_ptr<SocketClient> reader() const {
    auto result = std::make_unique<SocketClient>(web_port);
    result->send("GET " + path
                 + "/output HTTP/1.1\r\nHost: localhost\r\n"
                   "Connection: close\r\n\r\n");
    return result;
  }
};

/// How many bytes of the output are read before the end.
std::size_t read_to_end(SocketClient& reader) {
  auto answer = reader.receive(100'000'000);
  return static_cast<std::size_t>(std::ranges::count(answer, 'x'));
}

} // namespace

TEST_CASE("a cluster is shown over HTTP, and takes drivers") {
  HttpCluster cluster;
  auto words = cluster.ports();
  words.insert(words.end(),
               {"--workers", "2", "--cores", "3", "--memory", "1g"});
  cluster.start_local(words);
  auto state = call(cluster.web_port, "GET", "/json/");
  CHECK(state.at("status") == "ALIVE");
  CHECK(state.at("aliveworkers") == 2);
  CHECK(state.at("cores") == 6);
  CHECK(state.at("url").as_string()
        == "spark://127.0.0.1:" + std::to_string(cluster.spark_port));
  CHECK(call(cluster.web_port, "GET", "/api/v1").at("status") == 404);
  auto submitted = call(cluster.rest_port, "POST", "/v1/submissions/create",
                        driver_that_waits);
  INFO(boost::json::serialize(submitted));
  REQUIRE(submitted.at("success") == true);
  auto id = text_of(submitted, "submissionId");
  auto drivers = call(cluster.web_port, "GET", "/json/activedrivers");
  CHECK(drivers.at("activedrivers").at(0).at("id").as_string() == id);
  CHECK(values_of(cluster.status().at("active_drivers"), "id")
        == std::vector<std::string>{id});
  CHECK(call(cluster.rest_port, "POST", "/v1/submissions/kill/" + id)
            .at("success")
        == true);
  CHECK(call(cluster.rest_port, "GET", "/v1/submissions/status/" + id)
            .at("driverState")
        == "KILLED");
}

TEST_CASE("metrics can be read while another master begins to lead") {
  HttpCluster cluster;
  auto& leader = cluster.start_master(cluster.ports());
  auto web_port = cluster.reserve_port();
  cluster.start_standby({"--web-port", std::to_string(web_port)});
  cluster.start_worker();
  auto read = [](std::uint16_t port) {
    return read_metrics(content_of(port, "GET", "/metrics"));
  };
  const std::string workers
      = "metrics_master_aliveWorkers_Value{type=\"gauges\"}";
  CHECK(eventually([&] { return read(cluster.web_port).at(workers) == 1; }));
  auto last = read(web_port);
  CHECK_FALSE(last.contains(workers));
  CHECK(last.contains("stoker_leaderships_total"));
  leader.send(SIGKILL);
  CHECK(eventually([&] {
    auto now = read(web_port);
    for (const auto& [name, value] : last)
      if (name.find("_total") != std::string::npos) {
        INFO(name);
        CHECK(now.at(name) >= value);
      }
    last = std::move(now);
    return last.contains(workers) && last.at(workers) == 1;
  }));
}

TEST_CASE("who ends all drivers over HTTP ends his own, and is told so") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  HttpCluster cluster;
  auto words = cluster.ports();
  words.insert(words.end(), {"--workers", "1", "--web-users", "local"});
  cluster.start_local(words);
  auto submit = [&] {
    return text_of(call(cluster.rest_port, "POST", "/v1/submissions/create",
                        driver_that_waits),
                   "submissionId");
  };
  auto end_all = [&] {
    return text_of(call(cluster.rest_port, "POST", "/v1/submissions/killall"),
                   "message");
  };
  auto of_root = submit();
  std::string of_nobody;
  {
    TemporaryDirectory own;
    Unprivileged nobody{own.path(".")};
    of_nobody = submit();
    CHECK(end_all() == "all drivers of user nobody are asked to end");
  }
  auto state_of = [&](const std::string& id) {
    return text_of(
        call(cluster.rest_port, "GET", "/v1/submissions/status/" + id),
        "driverState");
  };
  CHECK(state_of(of_nobody) == "KILLED");
  CHECK(state_of(of_root) == "SUBMITTED");
  CHECK(end_all() == "all drivers are asked to end");
  CHECK(state_of(of_root) == "KILLED");
}

TEST_CASE("an option for Spark's programs gives another user no right over "
          "HTTP") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  HttpCluster cluster;
  auto words = cluster.ports();
  words.insert(words.end(), {"--workers", "1", "--spark-users", "local"});
  cluster.start_local(words);
  auto status_of = [](const boost::json::object& answer) {
    const auto* status = answer.if_contains("status");
    return status != nullptr && status->is_int64() ? status->as_int64() : 200;
  };
  auto reads = [&] { return call(cluster.web_port, "GET", "/json/"); };
  auto submits = [&] {
    return call(cluster.rest_port, "POST", "/v1/submissions/create",
                driver_that_waits);
  };
  {
    TemporaryDirectory own;
    Unprivileged other_user{own.path(".")};
    CHECK(status_of(reads()) == 403);
    CHECK_FALSE(submits().contains("submissionId"));
  }
  CHECK(status_of(reads()) == 200);
  CHECK(submits().at("success") == true);
}

TEST_CASE(
    "a master closes Spark's connections of another user before it reads") {
  if (::geteuid() != 0) {
    skip("only root can be two users");
    return;
  }
  HttpCluster cluster;
  auto words = cluster.ports();
  words.insert(words.end(), {"--workers", "1"});
  cluster.start_local(words);
  std::optional<SocketClient> other;
  {
    TemporaryDirectory own;
    Unprivileged other_user{own.path(".")};
    other.emplace(cluster.spark_port);
  }
  CHECK(other->is_closed());
}

TEST_CASE("an executor is ended over HTTP, and its instance starts again") {
  HttpCluster cluster;
  auto words = cluster.ports();
  words.insert(words.end(), {"--workers", "1", "--cores", "2"});
  cluster.start_local(words);
  auto& run = cluster.start_script(1, "echo started; until test -e "
                                          + cluster.path("go")
                                          + "; do sleep 0.01; done");
  REQUIRE(eventually([&] { return run.out() == "started\n"; }));
  auto app = text_of(cluster.status().at("active_apps").at(0), "id");
  auto path = "/api/v1/executors/" + app + "/0/kill";
  CHECK(text_of(call(cluster.web_port, "POST", path), "killed") == app + "/0");
  REQUIRE(eventually([&] { return run.out() == "started\nstarted\n"; }));
  // It runs no more, and what is no executor never did.
  for (auto [which, status] :
       {std::pair{"/0/kill", 409}, std::pair{"/7/kill", 404}})
    CHECK(call(cluster.web_port, "POST", "/api/v1/executors/" + app + which)
              .at("status")
          == status);
  std::ofstream{cluster.path("go")};
  CHECK(run.result().status == 0);
}

TEST_CASE("an output has what a driver wrote at each of its starts") {
  HttpCluster cluster;
  cluster.start_master(cluster.ports());
  cluster.start_worker();
  auto id = text_of(call(cluster.web_port, "POST", "/api/v1/drivers",
                         R"({"supervise":true,"command":["sh","-c",)"
                         R"("echo x >> $0; n=$(wc -l < $0); )"
                         R"(echo start $n; [ $n -ge 3 ]",")"
                             + cluster.path("starts") + "\"]}"),
                    "driver_id");
  auto path = "/api/v1/drivers/" + id + "/output";
  auto starts = [&](const std::string& query) {
    auto text = content_of(cluster.web_port, "GET", path + query);
    std::vector<std::string> result;
    for (auto& line : lines_of(text))
      if (line.starts_with("start "))
        result.push_back(line);
    return result;
  };
  const std::vector<std::string> all{"start 1", "start 2", "start 3"};
  CHECK(starts("?follow=true") == all);
  CHECK(starts("") == all);
  CHECK(starts("?tail=1000") == std::vector{all.back()});
}

TEST_CASE("a master ends at once, whoever reads an output") {
  HttpCluster cluster;
  auto& master = cluster.start_master(cluster.ports());
  cluster.start_worker();
  auto id = text_of(call(cluster.web_port, "POST", "/api/v1/drivers",
                         R"({"command":["sleep","600"]})"),
                    "driver_id");
  auto path = "/api/v1/drivers/" + id;
  REQUIRE(eventually([&] {
    return text_of(call(cluster.web_port, "GET", path), "state") == "RUNNING";
  }));
  SocketClient reader{cluster.web_port};
  reader.send("GET " + path
              + "/output?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
  REQUIRE(reader.receive(15).starts_with("HTTP/1.1 200 OK"));
  master.send(SIGINT);
  CHECK(master.result(std::chrono::seconds{10}).status == 0);
}

TEST_CASE("an output that many read at once reaches them all") {
  constexpr std::size_t bytes = 600'000;
  WrittenOutput output{bytes};
  std::vector<std::unique_ptr<SocketClient>> readers(600);
  for (auto& x : readers)
    x = output.reader();
  for (auto& x : readers)
    REQUIRE(read_to_end(*x) >= bytes);
  // Its worker has been there all the time.
  CHECK(output.worker.process->err().find("master-disconnected")
        == std::string::npos);
}

TEST_CASE("who asks for outputs and reads nothing costs the master little") {
  constexpr std::size_t bytes = 20'000'000;
  WrittenOutput output{bytes};
  auto before = peak_memory(output.master.pid());
  std::vector<std::unique_ptr<SocketClient>> readers(100);
  for (auto& x : readers) {
    x = output.reader();
    REQUIRE(x->receive(15) == "HTTP/1.1 200 OK");
  }
  // They have had their turns when another one has had all of his.
  CHECK(read_to_end(*output.reader()) >= bytes);
  auto after = peak_memory(output.master.pid());
  CHECK(after > before);
  CHECK(after - before < 64'000'000);
}

TEST_CASE("a master that stands by says so over HTTP") {
  HttpCluster cluster;
  cluster.start_master({"--spark-port", "0"});
  auto port = std::to_string(cluster.reserve_port());
  auto words = cluster.ports();
  words.insert(words.begin(),
               {"master", "--port", port, "--data", cluster.path("data")});
  auto& standby = cluster.stoker(words);
  // The last of its ports.
  await(standby, "rest-listening");
  CHECK(call(cluster.web_port, "GET", "/json/status").at("status")
        == "STANDBY");
  CHECK(call(cluster.rest_port, "GET", "/v1/submissions/readyz").at("success")
        == false);
}

TEST_CASE(
    "an HTTP client is led on when it asks the port of Spark's programs") {
  HttpCluster cluster;
  cluster.start_local(cluster.ports());
  auto id = text_of(call(cluster.rest_port, "POST", "/v1/submissions/create",
                         driver_that_waits),
                    "submissionId");
  auto target = "/v1/submissions/status/" + id;
  SocketClient client{cluster.spark_port};
  client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto answer = client.receive(1'000'000);
  INFO(answer);
  CHECK(answer.starts_with("HTTP/1.1 307 "));
  auto url = "http://127.0.0.1:" + std::to_string(cluster.rest_port);
  CHECK(answer.find("\r\nLocation: " + url + target + "\r\n")
        != std::string::npos);
  CHECK(call(cluster.rest_port, "GET", target).at("driverState")
        == "SUBMITTED");
}

TEST_CASE("a master names the holder of a chosen port and the option to change "
          "when that port is taken") {
  HttpCluster cluster;
  cluster.start_master(cluster.ports());
  auto command = GENERATE(as<std::string>{}, "master", "local");
  for (const auto& [option, port] :
       {std::pair{"--web-port", cluster.web_port},
        std::pair{"--rest-port", cluster.rest_port},
        std::pair{"--spark-port", cluster.spark_port}}) {
    auto refused = cluster.run(
        {command, "--port", std::to_string(cluster.reserve_port()), "--data",
         cluster.path("other"), option, std::to_string(port)});
    INFO(refused.err);
    CHECK(refused.status == 1);
    auto holder = "Address already in use: a process of user "
                  + stoker::user_name(::geteuid()) + " has this port; ";
    CHECK(contains(refused.err,
                   "stoker: cannot listen at 127.0.0.1:" + std::to_string(port)
                       + ": " + holder + "choose another port with " + option
                       + ", or 0 for none\n"));
  }
}
