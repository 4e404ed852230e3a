#include "tests/cluster/networked_cluster.hpp"

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

void await(Process& process, const char* words) {
  REQUIRE(eventually([&] {
    return !process.running() || process.err().find(words) != std::string::npos;
  }));
  INFO(process.err());
  REQUIRE(process.running());
}

} // namespace

void make_certificates(Cluster& cluster, const std::string& directory,
                       const std::vector<std::string>& hosts) {
  std::vector<std::string> words{"certs", cluster.path(directory)};
  for (const auto& host : hosts)
    words.insert(words.end(), {host == "user"       ? "--user"
                               : host == "operator" ? "--operator"
                                                    : "--host",
                               host});
  auto result = cluster.run(words);
  INFO(result.err);
  REQUIRE(result.status == 0);
}

std::vector<std::string> tls_options(Cluster& cluster,
                                     const std::string& directory,
                                     const std::string& host) {
  auto file = cluster.path(directory) + '/';
  return {"--tls-cert", file + host + ".pem",
          "--tls-key",  file + host + "-key.pem",
          "--tls-ca",   file + "ca.pem"};
}

std::vector<std::string> joined(std::vector<std::string> a,
                                const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

NetworkedCluster::NetworkedCluster() : network(*this, 4) {
  environment["STOKER_MASTER"] = "stoker://" + Network::address(1);
  make_certificates(
      *this, "certs",
      {Network::address(1), Network::address(2), Network::address(3), "user"});
  make_certificates(*this, "foreign", {Network::address(4)});
  master = &stoker_on(1, joined({"master", "--host", Network::address(1),
                                 "--data", path("data")},
                                tls(1)));
  await(*master, "ALIVE at");
  for (int i : {2, 3})
    await(stoker_on(
              i, joined({"worker", environment["STOKER_MASTER"], "--host",
                         Network::address(i), "--cores", "2", "--memory", "1g",
                         "--work-dir", path("work-" + std::to_string(i))},
                        tls(i))),
          "registered with");
}

Process& NetworkedCluster::stoker_on(int machine,
                                     std::vector<std::string> words) {
  prefix = network.on(machine);
  auto& result = stoker(std::move(words));
  prefix.clear();
  return result;
}

std::vector<std::string> NetworkedCluster::refusals() {
  auto lines = lines_of(master->err());
  std::erase_if(lines, [](const auto& x) {
    return x.find("refused a connection") == std::string::npos;
  });
  return lines;
}

} // namespace stoker::test
