#include "tests/cluster/job_cluster.hpp"

#include <algorithm>
#include <fstream>

namespace stoker::test {

JobCluster::JobCluster() {
  start_local({"--workers", "2", "--cores", "1", "--memory", "1g"});
}

Process& JobCluster::start_core(const std::string& directory) {
  auto& result = stoker({"worker", environment.at("STOKER_MASTER"), "--cores",
                         "1", "--memory", "1g", "--work-dir", path(directory)});
  await(result, "registered with");
  return result;
}

std::string JobCluster::job(const std::string& stages,
                            const std::string& conf) {
  auto file = path("job.json");
  std::ofstream{file} << R"({"conf": {)" << conf << R"(}, "stages": [)"
                      << stages << "]}";
  return file;
}

Result JobCluster::run_job(const std::string& stages,
                           std::vector<std::string> options) {
  options.insert(options.begin(), {"job", job(stages)});
  return run(options);
}

Process& JobCluster::start_job(const std::string& stages,
                               const std::string& conf) {
  return stoker({"job", job(stages, conf)});
}

std::string JobCluster::here() const {
  return R"("working_directory": ")" + path("") + '"';
}

void JobCluster::go() const {
  std::ofstream{path("go")};
}

boost::json::value JobCluster::jobs(const std::string& what) {
  auto result = run({"status", what, "--json"});
  if (result.status != 0)
    return nullptr;
  auto apps = boost::json::parse(result.out).at("applications").as_array();
  return apps.empty() ? nullptr : apps.back().at(what);
}

std::vector<std::string> JobCluster::states(const std::string& what) {
  auto all = jobs(what);
  return all.is_null() ? std::vector<std::string>{} : values_of(all, "status");
}

std::vector<pid_t> JobCluster::executors() {
  auto result = running(" executor ");
  std::erase_if(result, [](pid_t pid) {
    auto line = contents_of("/proc/" + std::to_string(pid) + "/cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    return !line.ends_with(" executor ");
  });
  return result;
}

std::vector<pid_t> JobCluster::running(const std::string& words) {
  std::vector<pid_t> result;
  for (const auto& [pid, description] : processes()) {
    auto line = contents_of("/proc/" + std::to_string(pid) + "/cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(words) != std::string::npos)
      result.push_back(pid);
  }
  return result;
}

} // namespace stoker::test
