// Clusters over a network, under mutual TLS, and those who do not belong to it.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/cluster/networked_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

TEST_CASE("a cluster of three machines runs work under mutual TLS") {
  {
    Sandbox sandbox;
    if (auto why = Network::why_unavailable(sandbox)) {
      skip(*why);
      return;
    }
  }
  NetworkedCluster cluster;
  auto result
      = cluster
            .stoker_on(
                1, joined(joined({"run", "-n", "2"},
                                 tls_options(cluster, "certs", "user")),
                          {"--", "sh", "-c", "ip -4 -o address show dev eth0"}))
            .result();
  REQUIRE(result.status == 0);
  // Each worker ran one.
  for (int i : {2, 3})
    CHECK(result.out.find(Network::address(i) + "/24") != std::string::npos);
  CHECK(cluster.refusals().empty());
}

TEST_CASE("who has no certificate of the cluster's authority gets nothing") {
  {
    Sandbox sandbox;
    if (auto why = Network::why_unavailable(sandbox)) {
      skip(*why);
      return;
    }
  }
  NetworkedCluster cluster;
  auto master = Network::address(1);
  auto foreign = tls_options(cluster, "foreign", Network::address(4));
  SECTION("another authority's certificate") {
    auto result = cluster
                      .stoker_on(4, joined({"status", "--master-timeout", "0s"},
                                           foreign))
                      .result();
    CHECK(result.status == 69);
    CHECK(result.out.empty());
    CHECK(result.err.find("not signed by the authority") != std::string::npos);
  }
  SECTION("another authority's certificate, as a worker") {
    auto result
        = cluster
              .stoker_on(
                  4, joined({"worker", "stoker://" + master, "--work-dir",
                             cluster.path("work-4"), "--master-timeout", "0s"},
                            foreign))
              .result();
    CHECK(result.status == 69);
  }
  SECTION("no certificate") {
    CHECK(cluster.network.speak_tls(4, master, 7070).empty());
  }
  SECTION("no TLS, with our own program") {
    auto result
        = cluster.stoker_on(4, {"status", "--master-timeout", "0s"}).result();
    CHECK(result.status == 69);
    CHECK(result.out.empty());
    CHECK(result.err.find("--tls-cert") != std::string::npos);
  }
  SECTION("no TLS, with something else") {
    auto answer = cluster.network.speak_plain(4, master, 7070,
                                              "GET / HTTP/1.0\r\n\r\n");
    // At most an alert of TLS.
    CHECK(answer.size() <= 7);
  }
  REQUIRE(eventually([&] { return !cluster.refusals().empty(); }));
  // Who belongs to it is not disturbed.
  auto status
      = cluster.stoker_on(3, joined({"status", "--json"}, cluster.tls(3)))
            .result();
  REQUIRE(status.status == 0);
  auto workers = boost::json::parse(status.out).at("workers");
  CHECK(values_of(workers, "state")
        == std::vector<std::string>{"ALIVE", "ALIVE"});
  auto refusals = cluster.refusals();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].find("from " + Network::address(4) + ": ")
        != std::string::npos);
}

TEST_CASE("an address that others can reach is refused without TLS") {
  Cluster cluster;
  auto host = GENERATE("0.0.0.0", "10.0.0.1", "::");
  for (const auto* command : {"master", "local"}) {
    auto result = cluster.run({command, "--host", host, "--port", "0", "--data",
                               cluster.path("data")});
    check_refusal(result, 2, "stoker certs");
    CHECK(result.err.find("127.0.0.1") != std::string::npos);
  }
}

TEST_CASE("certs says what it made, for people or as JSON") {
  Cluster cluster;
  auto directory = cluster.path("certs");
  auto text = cluster.run({"certs", directory, "--host", "node1"});
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find(directory + "/node1-key.pem") != std::string::npos);
  auto made = cluster.run(
      {"certs", directory, "--host", "node2", "--host", "::1", "--json"});
  REQUIRE(made.status == 0);
  auto json = boost::json::parse(made.out);
  CHECK(text_of(json, "authority") == directory + "/ca.pem");
  CHECK(text_of(json, "authority_is_new") == "false");
  CHECK(values_of(json.at("nodes"), "host")
        == std::vector<std::string>{"node2", "::1"});
  CHECK(values_of(json.at("nodes"), "certificate")
        == std::vector<std::string>{directory + "/node2.pem",
                                    directory + "/::1.pem"});
}

TEST_CASE("certs names what it keeps, and makes what is missing") {
  Cluster cluster;
  auto directory = cluster.path("certs");
  REQUIRE(cluster.run({"certs", directory, "--user", "alice"}).status == 0);
  auto again = cluster.run({"certs", directory, "--host", "node4", "--user",
                            "alice", "--operator", "bob"});
  CHECK(again.status == 0);
  auto file = [&](const std::string& name) { return directory + '/' + name; };
  CHECK(again.err
        == "stoker: kept " + file("alice.pem") + " and " + file("alice-key.pem")
               + " of user alice\n");
  CHECK(again.out.find("alice.pem") == std::string::npos);
  for (const auto* name : {"node4.pem", "bob-key.pem"})
    CHECK(again.out.find(file(name)) != std::string::npos);
  auto kept = cluster.run({"certs", directory, "--user", "alice", "--json"});
  CHECK(kept.status == 0);
  CHECK(values_of(boost::json::parse(kept.out).at("users"), "is_new")
        == std::vector<std::string>{"false"});
  auto other = cluster.run({"certs", directory, "--operator", "alice"});
  CHECK(other.status == 1);
  CHECK(other.err
        == "stoker: " + file("alice.pem")
               + " is for user alice; nothing was written: move it away to "
                 "make one for operator alice\n");
}

TEST_CASE("mutual TLS holds on the loopback address, too") {
  Cluster cluster;
  make_certificates(cluster, "certs", {"localhost", "user"});
  make_certificates(cluster, "foreign", {"user"});
  cluster.start_local(
      joined({"--workers", "1", "--cores", "2", "--memory", "1g"},
             tls_options(cluster, "certs", "localhost")));
  auto run = [&](const std::string& directory) {
    return cluster.run(
        joined(joined({"run", "-n", "2", "--master-timeout", "0s"},
                      tls_options(cluster, directory, "user")),
               {"--", "echo", "hello"}));
  };
  CHECK(run("certs").out == "hello\nhello\n");
  CHECK(run("foreign").status == 69);
  auto plain = cluster.run({"status", "--master-timeout", "0s"});
  CHECK(plain.status == 69);
  CHECK(lines_of(plain.err).size() == 1);
}

TEST_CASE("a certificate decides what its holder may do") {
  Cluster cluster;
  make_certificates(cluster, "certs", {"localhost", "user", "operator"});
  cluster.start_local(
      joined({"--workers", "1", "--cores", "2", "--memory", "1g"},
             tls_options(cluster, "certs", "localhost")));
  auto as = [&](const std::string& who, std::vector<std::string> words,
                const std::vector<std::string>& rest) {
    return cluster.run(joined(
        joined(std::move(words), tls_options(cluster, "certs", who)), rest));
  };
  auto refused = [](const auto& result, const std::string& why) {
    INFO(result.err);
    CHECK(result.status != 0);
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.err.find(why) != std::string::npos);
  };
  refused(as("user",
             {"worker", cluster.environment["STOKER_MASTER"], "--work-dir",
              cluster.path("work-2")},
             {}),
          "user user may not do this: it needs the certificate of a node");
  refused(as("localhost", {"run"}, {"--", "true"}),
          "node localhost may not do this: it needs the certificate of a user");
  refused(as("localhost", {"submit"}, {"--", "true"}),
          "node localhost may not do this: it needs the certificate of a user");
  for (const auto* command : {"master", "local"})
    refused(as("user",
               {command, "--port", "0", "--data", cluster.path("other")}, {}),
            "a master needs the certificate of a node (stoker certs --host), "
            "and this is that of user user");
  auto status = as("user", {"status", "--json"}, {});
  REQUIRE(status.status == 0);
  auto id = text_of(boost::json::parse(status.out).at("workers").at(0), "id");
  refused(as("user", {"decommission", id}, {}),
          "user user may not do this: it needs the certificate of an operator");
  CHECK(as("user", {"run"}, {"--", "true"}).status == 0);
  // The certificate says whose it is, whatever the machine calls its user.
  auto apps
      = boost::json::parse(as("user", {"status", "apps", "--json"}, {}).out)
            .at("completed_apps");
  REQUIRE(apps.as_array().size() == 1);
  CHECK(text_of(apps.at(0), "user") == "user");
  CHECK(as("operator", {"run"}, {"--", "true"}).status == 0);
  CHECK(as("operator", {"decommission", id}, {}).status == 0);
}

TEST_CASE("a master reads its certificates again on SIGHUP") {
  Cluster cluster;
  make_certificates(cluster, "certs", {"localhost", "user"});
  make_certificates(cluster, "next", {"localhost", "user"});
  auto& master
      = cluster.start_master(tls_options(cluster, "certs", "localhost"));
  auto works = [&](const std::string& directory) {
    return cluster
               .run(joined({"status", "--master-timeout", "0s"},
                           tls_options(cluster, directory, "user")))
               .status
           == 0;
  };
  CHECK(works("certs"));
  CHECK_FALSE(works("next"));
  auto replace = [&](const std::string& name) {
    std::filesystem::copy_file(
        cluster.path("next/" + name), cluster.path("certs/" + name),
        std::filesystem::copy_options::overwrite_existing);
  };
  // Half of it is not taken.
  std::ofstream{cluster.path("certs/localhost.pem")} << "junk\n";
  master.send(SIGHUP);
  REQUIRE(eventually([&] {
    return master.err().find("[certificates-kept]") != std::string::npos;
  }));
  for (const auto* name : {"localhost.pem", "localhost-key.pem"})
    replace(name);
  auto authority = cluster.path("certs/ca.pem");
  std::filesystem::rename(authority, cluster.path("certs/old-ca.pem"));
  replace("ca.pem");
  master.send(SIGHUP);
  REQUIRE(eventually([&] {
    return master.err().find("[certificates-reloaded]") != std::string::npos;
  }));
  CHECK(works("next"));
}

TEST_CASE("a revoked certificate is refused, and its connections end when the "
          "list is read again") {
  Cluster cluster;
  make_certificates(cluster, "certs",
                    {"localhost", "node-a", "user", "operator"});
  auto list = cluster.path("revoked");
  std::ofstream{list} << "# none yet\n";
  auto& master = cluster.start_master(joined(
      {"--tls-revoked", list}, tls_options(cluster, "certs", "localhost")));
  auto& worker = cluster.stoker(
      joined({"worker", cluster.environment["STOKER_MASTER"], "--host",
              "node-a", "--cores", "1", "--memory", "512m", "--work-dir",
              cluster.path("work"), "--master-timeout", "1s"},
             tls_options(cluster, "certs", "node-a")));
  await(worker, "[master-registered]");
  auto status = [&](const std::string& who) {
    return cluster.run(joined({"status", "--master-timeout", "0s"},
                              tls_options(cluster, "certs", who)));
  };
  CHECK(status("user").status == 0);
  auto certificate = [&](const std::string& name) {
    return cluster.path("certs/" + name + ".pem");
  };
  auto revoked = cluster.run(
      {"revoke", "--list", list, certificate("user"), certificate("node-a")});
  CHECK(revoked.status == 0);
  CHECK(revoked.out.find(" of user user\n") != std::string::npos);
  CHECK(revoked.out.find(" of node node-a\n") != std::string::npos);
  // Nothing counts before it is read.
  CHECK(status("user").status == 0);
  auto reload = [&] {
    return cluster.run(joined({"reload", "--master-timeout", "0s"},
                              tls_options(cluster, "certs", "operator")));
  };
  CHECK(reload().status == 0);
  // The connection of the worker has ended, and it finds no master that lets it in.
  CHECK(worker.result().status == 69);
  auto refused = status("user");
  CHECK(refused.status == 69);
  CHECK(refused.err.find("certificate revoked") != std::string::npos);
  CHECK(says(master, "[certificate-revoked] serial="));
  CHECK(says(master, "refused the certificate of user user; it is in " + list));
  // A list with a mistake changes nothing.
  std::ofstream{list} << "no number\n";
  auto kept = reload();
  CHECK(kept.status == 1);
  CHECK(lines_of(kept.err).size() == 1);
  CHECK(kept.err.find(list + ":1: 'no number' is not a serial number")
        != std::string::npos);
  CHECK(status("user").status == 69);
  // SIGHUP does the same.
  std::ofstream{list} << "";
  master.send(SIGHUP);
  CHECK(eventually([&] { return status("user").status == 0; }));
}

TEST_CASE("another user of the machine gets nothing by default") {
  if (::getuid() != 0) {
    skip("only root can be two users");
    return;
  }
  Cluster cluster;
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
  cluster.unprivileged = true;
  cluster.environment["XDG_STATE_HOME"] = "/tmp/" + std::to_string(::getpid());
  for (const auto* command : {"status", "queues"}) {
    // Trying again would not help.
    auto result = cluster.run({command, "--master-timeout", "60s"});
    CHECK(result.status == 69);
    CHECK(result.out.empty());
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.err.find("it is not this user's") != std::string::npos);
  }
  auto run = cluster.run({"run", "--master-timeout", "60s", "--", "id"});
  CHECK(run.status == 69);
  CHECK(run.out.empty());
  CHECK(lines_of(run.err).size() == 1);
  std::filesystem::remove_all(cluster.environment["XDG_STATE_HOME"]);
}
