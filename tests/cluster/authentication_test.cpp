// Those who reach a master and do not belong to it, and those who do and would be
// somebody else.

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "process/unique_fd.hpp"
#include "tests/cluster/cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;
using stoker::process::UniqueFd;

namespace {

/// Has this process open so many descriptors, or as many as it may.
std::size_t raise_open_files(std::size_t wanted) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  constexpr std::size_t for_others = 200;
  return std::min<std::size_t>(wanted, limit.rlim_cur - for_others);
}

/// A connection that says nothing; null: it was refused.
UniqueFd silent_connection(std::uint16_t port) {
  UniqueFd result{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (!result
      || ::connect(result.get(), reinterpret_cast<sockaddr*>(&address),
                   sizeof address)
             != 0)
    return {};
  return result;
}

} // namespace

TEST_CASE("20,000 silent connections cost nobody his service") {
  Cluster cluster;
  // As many descriptors as a shell gives by default, and no more to raise.
  cluster.prefix = {"prlimit", "--nofile=1024:1024"};
  cluster.start_local({"--workers", "1", "--cores", "2", "--memory", "1g"});
  cluster.prefix.clear();
  std::vector<UniqueFd> silent(raise_open_files(20'000));
  for (auto& x : silent)
    x = silent_connection(cluster.port());
  auto run = cluster.run({"run", "-n", "2", "--", "echo", "hello"});
  CHECK(run.err.empty());
  CHECK(run.out == "hello\nhello\n");
  CHECK(cluster.run({"status"}).status == 0);
}

TEST_CASE("a master without descriptors says so once, and what to do") {
  Cluster cluster;
  cluster.prefix = {"prlimit", "--nofile=64:64"};
  auto& master = cluster.start_master();
  cluster.prefix.clear();
  std::vector<UniqueFd> silent(100);
  for (auto& x : silent)
    x = silent_connection(cluster.port());
  const std::string event = "[connections-not-taken]";
  await(master, event);
  CHECK(says(master, "cannot be taken: this process has the 64 open files that "
                     "it may have: start it with more ('ulimit -n'"));
  // It goes on trying, some 20 times a second, and takes them when others have left.
  silent.clear();
  CHECK(eventually([&] { return cluster.run({"status"}).status == 0; }));
  auto text = master.err();
  CHECK(text.find(event, text.find(event) + 1) == std::string::npos);
}

TEST_CASE("who has half of a master's places hears how the master has more") {
  Cluster cluster;
  cluster.prefix = {"prlimit", "--nofile=64:64"};
  auto& master = cluster.start_master();
  cluster.prefix.clear();
  for (int i = 0; i < 8; ++i)
    await(cluster.stoker({"run", "--wait", "--", "true"}),
          "waiting for resources");
  auto refused = cluster.run({"status"});
  CHECK(refused.status == 69);
  const std::string why
      = " has 8 connections, and may have no more: half of the master's 16 "
        "with 64 open files; start it with more ('ulimit -n', or LimitNOFILE "
        "in its unit)";
  CHECK(refused.err.find(why) != std::string::npos);
  CHECK(says(master, why));
}

TEST_CASE("a node's certificate does not serve to take another node's worker") {
  Cluster cluster;
  auto certs = cluster.path("certs");
  REQUIRE(cluster
              .run({"certs", certs, "--host", "localhost", "--host", "node-a",
                    "--host", "node-b", "--operator", "op"})
              .status
          == 0);
  auto tls = [&](const std::string& who) {
    return std::vector<std::string>{
        "--tls-cert", certs + "/" + who + ".pem",
        "--tls-key",  certs + "/" + who + "-key.pem",
        "--tls-ca",   certs + "/ca.pem"};
  };
  auto with = [&](std::vector<std::string> words, const std::string& who) {
    auto options = tls(who);
    words.insert(words.end(), options.begin(), options.end());
    return words;
  };
  cluster.start_local(with(
      {"--workers", "1", "--cores", "1", "--memory", "512m"}, "localhost"));
  const auto master = cluster.environment["STOKER_MASTER"];
  auto own = cluster.path("own");
  auto& worker = cluster.stoker(with(
      {"worker", master, "--cores", "2", "--memory", "1g", "--work-dir", own},
      "node-a"));
  await(worker, "[master-registered]");
  // Who has copied all that a worker knows of itself, but for its key.
  auto copied = cluster.path("copied");
  std::filesystem::copy(own, copied, std::filesystem::copy_options::recursive);
  // Nor that it is a copy.
  std::ofstream{copied + "/.workers/1/lock", std::ios::trunc};
  auto robber
      = cluster.run(with({"worker", master, "--host", "node-a", "--cores", "2",
                          "--memory", "1g", "--work-dir", copied},
                         "node-b"));
  CHECK(robber.status != 0);
  CHECK(robber.err.find("the certificate of node node-b is for node-b, not for "
                        "a worker at 'node-a'")
        != std::string::npos);
  auto status = cluster.run(with({"status", "--json"}, "op"));
  REQUIRE(status.status == 0);
  CHECK(values_of(boost::json::parse(status.out).at("workers"), "state")
        == std::vector<std::string>{"ALIVE", "ALIVE"});
  CHECK(worker.running());
}
