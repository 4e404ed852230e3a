#include "tests/cluster/cluster.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

void append(std::vector<std::string>& to,
            const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

} // namespace

Cluster::Cluster() {
  environment["STOKER_MASTER"] = "stoker://127.0.0.1:" + std::to_string(port_);
}

Process& Cluster::start_local(const std::vector<std::string>& words) {
  std::vector<std::string> all{"local", "--port", std::to_string(port_),
                               "--data", path("data")};
  append(all, words);
  auto& result = stoker(all);
  REQUIRE(eventually([&] {
    return !result.running()
           || result.out().find("ready at") != std::string::npos;
  }));
  REQUIRE(result.running());
  return result;
}

Process& Cluster::start_master(const std::vector<std::string>& words) {
  std::vector<std::string> all{"master", "--port", std::to_string(port_),
                               "--data", path("data")};
  append(all, words);
  auto& result = stoker(all);
  REQUIRE(eventually([&] {
    return !result.running()
           || result.err().find("ALIVE at") != std::string::npos;
  }));
  REQUIRE(result.running());
  return result;
}

Process& Cluster::start_standby(const std::vector<std::string>& words) {
  auto port = std::to_string(reserve_port());
  environment["STOKER_MASTER"] += ",127.0.0.1:" + port;
  std::vector<std::string> all{"master", "--port", port, "--data",
                               path("data")};
  append(all, words);
  auto& result = stoker(all);
  await(result, "STANDBY");
  return result;
}

Worker Cluster::start_worker(const std::vector<std::string>& words) {
  std::vector<std::string> all{
      "worker",     environment.at("STOKER_MASTER"),
      "--cores",    "2",
      "--memory",   "1g",
      "--work-dir", path("work-" + std::to_string(++workers_))};
  append(all, words);
  auto& process = stoker(all);
  REQUIRE(eventually([&] {
    return !process.running()
           || process.err().find("registered with") != std::string::npos;
  }));
  REQUIRE(process.running());
  // Workers name themselves after their process.
  auto end = '-' + std::to_string(process.pid());
  for (const auto& id : values_of(status().at("workers"), "id"))
    if (id.ends_with(end))
      return {&process, id};
  FAIL("the worker is not in the master's state");
  return {};
}

boost::json::object Cluster::status() {
  // A master may be away for a moment while a test waits for something.
  Result result;
  auto answered = eventually([&] {
    result = run({"status", "--json"});
    return result.status == 0;
  });
  INFO(result.err);
  REQUIRE(answered);
  return boost::json::parse(result.out).as_object();
}

Process& Cluster::start_script(int n, const std::string& script,
                               std::vector<std::string> options) {
  std::vector<std::string> words{"run", "-n", std::to_string(n)};
  append(words, options);
  append(words, {"--", "sh", "-c", script});
  return stoker(words);
}

Result Cluster::run_script(int n, const std::string& script,
                           std::vector<std::string> options) {
  return start_script(n, script, std::move(options)).result();
}

std::string os_user() {
  const auto* entry = ::getpwuid(::getuid());
  return entry == nullptr ? std::to_string(::getuid()) : entry->pw_name;
}

bool says(const Process& process, const std::string& words) {
  return process.err().find(words) != std::string::npos;
}

void await(Process& process, const std::string& words) {
  INFO(process.err());
  REQUIRE(
      eventually([&] { return says(process, words) || !process.running(); }));
  REQUIRE(says(process, words));
}

void check_refusal(const Result& result, int status, const std::string& words) {
  INFO("standard error: " << result.err);
  CHECK(result.status == status);
  CHECK(result.out.empty());
  CHECK(lines_of(result.err).size() == 1);
  CHECK(result.err.starts_with("stoker: "));
  CHECK(result.err.find(words) != std::string::npos);
}

std::string text_of(const boost::json::value& object,
                    const std::string& field) {
  const auto& value = object.as_object().at(field);
  return value.is_string() ? std::string{value.as_string().c_str()}
                           : boost::json::serialize(value);
}

std::vector<std::string> values_of(const boost::json::value& array,
                                   const std::string& field) {
  std::vector<std::string> result;
  for (const auto& x : array.as_array())
    result.push_back(text_of(x, field));
  return result;
}

} // namespace stoker::test
