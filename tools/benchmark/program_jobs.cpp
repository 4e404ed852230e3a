// Jobs of programs, from their submission to their results: as many as possible, and
// one after the other. The lines are those of a harness that measures
// other systems (see docs/performance.md).

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "process/process_tree.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/job_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

constexpr int job_slots = 2;
const std::vector<std::string> shortest_program{"/bin/true"};

std::shared_ptr<const JobWork> programs(int number, int tasks) {
  return std::make_shared<SameProgram>(number, tasks, shortest_program);
}

struct CloseProgram {
  void operator()(std::FILE* file) const noexcept {
    ::pclose(file);
  }
};

/// From the start of a cluster with a job until the first line of its results.
double first_result_seconds(const std::string& job_file,
                            const std::string& data) {
  auto begin = BenchClock::now();
  auto command = "exec '" + stoker_path() + "' local --cores "
                 + std::to_string(job_slots) + " --memory 4g --port 0 --data '"
                 + data + "' -- '" + stoker_path() + "' job --quiet '"
                 + job_file + "' 2>/dev/null";
  std::unique_ptr<std::FILE, CloseProgram> output{
      ::popen(command.c_str(), "r")};
  char line[64] = {};
  if (!output || std::fgets(line, sizeof line, output.get()) == nullptr)
    throw std::runtime_error("no result came of 'stoker local -- stoker job'");
  return seconds_since(begin);
}

/// In MB: of each process once, and with shared pages shared out.
struct Memory {
  double rss = 0;
  double pss = 0;
  int processes = 0;
};

Memory memory_of(pid_t pid) {
  Memory result;
  std::ifstream in{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Rss:"))
      result.rss = std::stod(line.substr(4)) / 1024;
    else if (line.starts_with("Pss:"))
      result.pss = std::stod(line.substr(4)) / 1024;
  }
  result.processes = 1;
  return result;
}

Memory memory_of_tree(pid_t root) {
  auto result = memory_of(root);
  for (const auto& x : process::descendants_of(root)) {
    auto more = memory_of(x.id.pid);
    result.rss += more.rss;
    result.pss += more.pss;
    ++result.processes;
  }
  return result;
}

} // namespace

void job_startup(Extent extent) {
  TemporaryDirectory files;
  ::setenv("XDG_STATE_HOME", files.path().c_str(), 1);
  auto job_file = files.path() + "/job.json";
  std::ofstream{job_file} << R"({"stages": [{"name": "one", "input": )"
                             R"({"range": 1}, "command": ["cat"]}]})";
  // The first start makes the credentials.
  (void)first_result_seconds(job_file, files.path() + "/data0");
  Samples seconds;
  for (int i = 1; i <= extent.of(9, 1); ++i)
    seconds.add(first_result_seconds(job_file, files.path() + "/data"
                                                   + std::to_string(i)));
  LocalProcess cluster{job_slots};
  BenchApplication application{cluster, job_slots, 1};
  application.run(programs(0, job_slots));
  std::this_thread::sleep_for(std::chrono::seconds{extent.of(3, 1)});
  auto memory = memory_of_tree(cluster.pid());
  auto driver = memory_of(::getpid());
  Figure{"startup"}
      .text("task", "program")
      .number("seconds", seconds.median())
      .count("reps", static_cast<std::int64_t>(seconds.size()))
      .number("idle_rss_mb", memory.rss + driver.rss)
      .number("idle_pss_mb", memory.pss + driver.pss)
      .number("idle_processes", memory.processes + driver.processes)
      .print();
}

void program_tasks(Extent extent) {
  auto tasks = extent.of(10'000, 100);
  auto rounds = extent.of(3, 1);
  LocalProcess cluster{job_slots};
  BenchApplication application{cluster, job_slots, 1};
  application.run(programs(0, extent.of(1'000, 10)));
  auto warm = seconds_since(cluster.started_at());
  Samples seconds;
  for (int i = 1; i <= rounds; ++i) {
    auto work = programs(i, tasks);
    auto begin = BenchClock::now();
    application.run(work);
    seconds.add(seconds_since(begin));
  }
  Figure{"program_tasks"}
      .count("slots", job_slots)
      .count("tasks", tasks)
      .number("rate", tasks / seconds.median())
      .number("rate_total", tasks / (seconds.median() + warm))
      .print();
}

void submit_latency(Extent extent) {
  auto samples = extent.of(200, 10);
  LocalProcess cluster{job_slots};
  BenchApplication application{cluster, job_slots, 1};
  application.run(programs(0, job_slots));
  Samples seconds;
  for (int i = 1; i <= samples; ++i) {
    auto work = programs(i, 1);
    auto begin = BenchClock::now();
    application.run(work);
    seconds.add(seconds_since(begin));
  }
  Figure{"submit_latency"}
      .text("task", "program")
      .count("samples", samples)
      .number("p50_ms", seconds.median() * 1e3)
      .number("p99_ms", seconds.quantile(0.99) * 1e3)
      .number("min_ms", seconds.min() * 1e3)
      .number("max_ms", seconds.max() * 1e3)
      .print();
}

} // namespace stoker::benchmark
