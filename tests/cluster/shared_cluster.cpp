#include "tests/cluster/shared_cluster.hpp"

#include <cstdio>
#include <fstream>

#include "tests/support/catch.hpp"

namespace stoker::test {

void SharedCluster::write(const std::string& text) const {
  std::ofstream{file + ".new"} << text;
  REQUIRE(std::rename((file + ".new").c_str(), file.c_str()) == 0);
}

void SharedCluster::write_known(const std::string& limits) const {
  write("[companies.first]\n[users.\"" + os_user()
        + "\"]\ncompany = \"first\"\n" + limits);
}

void SharedCluster::write_unknown() const {
  write("[companies.first]\n[users.somebody-else]\ncompany = \"first\"\n");
}

void SharedCluster::write_bad() const {
  write("# Three companies.\n[companies.first]\ncoers = 2\n");
}

Process& SharedCluster::start(const std::string& command) {
  if (command == "local")
    return start_local({"--cores", "2", "--memory", "1g", "--tenants", file});
  auto& master = start_master({"--tenants", file});
  start_worker();
  return master;
}

bool SharedCluster::refuses() {
  auto result = run({"run", "--", "true"});
  INFO(result.err);
  auto refused = result.err.find(nobody_else) != std::string::npos;
  CHECK(result.status == (refused ? 1 : 0));
  return refused;
}

boost::json::object SharedCluster::queues() {
  auto result = run({"queues", "--json"});
  REQUIRE(result.status == 0);
  CHECK(lines_of(result.out).size() == 1);
  return boost::json::parse(result.out).as_object();
}

bool SharedCluster::queued(int n) {
  return eventually(
      [&] { return queues().at("tenants").at("figures").at("queued") == n; });
}

} // namespace stoker::test
