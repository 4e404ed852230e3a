// Whole commands that run some programs together and end with them, beside mpirun where it
// can be had.

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/job_cluster.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

using Words = std::vector<std::string>;

constexpr int gang_cores = 4;
constexpr const char* shortest = "/bin/true";

Words stoker_run(const LocalProcess& cluster, int ranks, bool barrier) {
  Words result{"/usr/bin/env",
               stoker_path(),
               "run",
               "--master",
               to_string(cluster.address()),
               "-n",
               std::to_string(ranks)};
  if (barrier)
    result.emplace_back("--barrier");
  result.insert(result.end(), {"--", shortest});
  return result;
}

Words mpirun(int ranks) {
  return {"/usr/bin/env",    "mpirun", "--allow-run-as-root",
          "--oversubscribe", "-n",     std::to_string(ranks),
          shortest};
}

void measure(const std::string& peer, const std::string& how, int ranks,
             const Words& command, int samples) {
  Samples times;
  for (int i = 0; i <= samples; ++i) {
    auto begin = BenchClock::now();
    if (run_to_end(command) != 0)
      throw std::runtime_error(how + " has failed");
    // The first one finds files that are not in memory.
    if (i > 0)
      times.add(seconds_since(begin));
  }
  Figure{"gang_run", peer}
      .text("how", how)
      .count("ranks", ranks)
      .count("samples", samples)
      .number("median_ms", times.median() * 1e3)
      .number("p99_ms", times.quantile(0.99) * 1e3)
      .print();
}

} // namespace

void gang_run(Extent extent) {
  auto samples = extent.of(60, 2);
  LocalProcess cluster{gang_cores};
  for (auto ranks : {2, 4}) {
    measure("stoker", "stoker run", ranks, stoker_run(cluster, ranks, false),
            samples);
    measure("stoker", "stoker run --barrier", ranks,
            stoker_run(cluster, ranks, true), samples);
  }
  if (std::system("command -v mpirun >/dev/null") != 0) {
    std::cerr << "gang_run: there is no mpirun, which is not measured"
              << std::endl;
    return;
  }
  for (auto ranks : {2, 4})
    measure("openmpi", "mpirun", ranks, mpirun(ranks), samples);
}

} // namespace stoker::benchmark
