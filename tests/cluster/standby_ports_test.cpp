// Masters of one machine that share its default ports: who leads has them in the end.

#include <signal.h>

#include "tests/cluster/cluster.hpp"
#include "tests/cluster/network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

TEST_CASE("a standby opens the default ports when their leader is gone") {
  Cluster cluster;
  if (auto why = Network::why_unavailable(cluster)) {
    skip(*why);
    return;
  }
  for (const auto* name :
       {"STOKER_SPARK_PORT", "STOKER_WEB_PORT", "STOKER_REST_PORT"})
    cluster.environment.erase(name);
  // Nobody else has these ports there.
  Network network{cluster, 1};
  auto start = [&](const std::string& port) -> auto& {
    auto words = network.on(1);
    for (const auto& word : {std::string{STOKER_PROGRAM}, std::string{"master"},
                             std::string{"--port"}, port, std::string{"--data"},
                             cluster.path("data")})
      words.push_back(word);
    return cluster.start(words);
  };
  auto get = [&](std::uint16_t port, const std::string& path) {
    return network.speak_plain(1, "127.0.0.1", port,
                               "GET " + path
                                   + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
  };
  auto& leader = start("7070");
  await(leader, "[rest-listening]");
  auto& standby = start("7071");
  await(standby, "STANDBY");
  for (const auto* port :
       {"127.0.0.1:7077", "127.0.0.1:8080", "127.0.0.1:6066"})
    await(standby, std::string{"cannot listen at "} + port);
  CHECK(says(standby, "[spark-port-taken]"));
  CHECK(says(standby, "[web-port-taken]"));
  leader.send(SIGKILL);
  leader.result();
  await(standby, "ALIVE at");
  for (const auto* opened :
       {"[spark-listening]", "[web-listening]", "[rest-listening]"})
    await(standby, opened);
  CHECK(contains(get(8080, "/healthz"), "ALIVE"));
  CHECK(contains(get(8080, "/metrics"), "stoker_"));
  // Whichever of them was opened first.
  CHECK(eventually(
      [&] { return contains(get(8080, "/json/"), "spark://127.0.0.1:7077"); }));
  CHECK(contains(get(6066, "/v1/submissions/readyz"), "200"));
}
