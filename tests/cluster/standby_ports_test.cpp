// Masters of one machine that share its default ports: who leads has them in the end.

#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/cluster.hpp"
#include "tests/cluster/network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

/// A machine whose default ports nobody has yet. Masters use them there.
struct OwnMachine : Cluster {
  std::optional<Network> network;

  OwnMachine() {
    for (const auto* name :
         {"STOKER_SPARK_PORT", "STOKER_WEB_PORT", "STOKER_REST_PORT"})
      environment.erase(name);
    network.emplace(*this, 1);
  }

  Process& start_there(const std::vector<std::string>& command) {
    auto words = network->on(1);
    words.insert(words.end(), command.begin(), command.end());
    return start(words);
  }

  Process& start_master_at(const std::string& port) {
    return start_there(
        {STOKER_PROGRAM, "master", "--port", port, "--data", path("data")});
  }

  /// A process of user nobody that listens at a port, and does nothing else.
  Process& start_listener(std::uint16_t port,
                          const std::string& host = "127.0.0.1") {
    auto family = host == "::1" ? "socket.AF_INET6" : "socket.AF_INET";
    auto& result = start_there(
        {"/usr/bin/python3", "-c",
         "import os, socket, time\n"
         "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
         "listener = socket.create_server(('"
             + host + "', " + std::to_string(port) + "), family=" + family
             + ")\n"
               "print('listens', flush=True)\n"
               "time.sleep(1000)\n"});
    REQUIRE(eventually([&] { return result.out() == "listens\n"; }));
    return result;
  }
};

/// Says so where there can be no machine.
bool has_network() {
  Sandbox sandbox;
  auto why = Network::why_unavailable(sandbox);
  if (why)
    skip(*why);
  return !why;
}

const std::string who_has_it
    = "a process of user nobody has this port, and programs that look for a "
      "master there would find that process; choose another port with ";

} // namespace

TEST_CASE("a master does not start when a process of another user has one of "
          "its default ports") {
  if (!has_network())
    return;
  auto [port, option] = GENERATE(table<std::uint16_t, std::string>(
      {{7077, "--spark-port"}, {8080, "--web-port"}, {6066, "--rest-port"}}));
  OwnMachine machine;
  machine.start_listener(port);
  auto result = machine.start_master_at("7070").result();
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(contains(result.err,
                 "stoker: cannot listen at 127.0.0.1:" + std::to_string(port)
                     + ": Address already in use: " + who_has_it + option
                     + ", or 0 for none\n"));
}

TEST_CASE("a standby logs once that a process of another user has a default "
          "port when its leader has left that port") {
  if (!has_network())
    return;
  OwnMachine machine;
  auto& leader = machine.start_master_at("7070");
  await(leader, "[rest-listening]");
  auto& standby = machine.start_master_at("7071");
  await(standby, "127.0.0.1:6066");
  // It can take the port only before the standby does.
  standby.send(SIGSTOP);
  leader.send(SIGKILL);
  leader.result();
  auto& listener = machine.start_listener(8080);
  standby.send(SIGCONT);
  await(standby, "[port-of-another-user] a process of user nobody has port "
                 "8080 of 127.0.0.1, and programs that look for a master "
                 "there find that process");
  await(standby, "[rest-listening]");
  CHECK_FALSE(says(standby, "[web-listening]"));
  listener.send(SIGKILL);
  await(standby, "[web-listening]");
  auto log = standby.err();
  CHECK(log.find("[port-of-another-user]")
        == log.rfind("[port-of-another-user]"));
}

TEST_CASE("a master logs that a process of another user has its port at the "
          "IPv6 address of localhost") {
  if (!has_network())
    return;
  if (contents_of("/proc/sys/net/ipv6/conf/lo/disable_ipv6") != "0\n")
    return skip("the machine has no IPv6");
  OwnMachine machine;
  machine.start_listener(8080, "::1");
  auto& master = machine.start_master_at("7070");
  await(master, "[port-of-another-user] a process of user nobody has port 8080 "
                "of ::1, and programs that look for a master at 'localhost' "
                "may find that process: name 127.0.0.1, or choose another port "
                "with --web-port");
  await(master, "[rest-listening]");
  CHECK_FALSE(says(master, "port 7077 of ::1"));
}

TEST_CASE("a standby opens the default ports when their leader is gone") {
  if (!has_network())
    return;
  OwnMachine cluster;
  auto& network = *cluster.network;
  auto get = [&](std::uint16_t port, const std::string& path) {
    return network.speak_plain(1, "127.0.0.1", port,
                               "GET " + path
                                   + " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n");
  };
  auto& leader = cluster.start_master_at("7070");
  await(leader, "[rest-listening]");
  auto& standby = cluster.start_master_at("7071");
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
