// stoker-bench: measures Stoker, one JSON line for each figure.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include <CLI/CLI.hpp>

#include "embedding/executor_process.hpp"
#include "jobs/executor_main.hpp"
#include "tools/benchmark/barrier_programs.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/dataset_words.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/function_jobs.hpp"
#include "tools/benchmark/process.hpp"

namespace {

using namespace stoker::benchmark;

struct Bench {
  const char* name;
  void (*run)(Extent);
};

constexpr Bench benches[] = {
    {"startup", startup},
    {"register_workers", register_workers},
    {"heartbeats", heartbeats},
    {"register_apps", register_apps},
    {"app_latency", app_latency},
    {"launch", launch},
    {"waiting_apps", waiting_apps},
    {"message_log", message_log},
    {"durable_registrations", durable_registrations},
    {"journal", journal},
    {"takeover", takeover},
    {"recovery", recovery},
    {"restart", restart},
    {"instances", instances},
    {"history", history},
    {"pages", pages},
    {"output", output},
    {"shuffle", shuffle},
    {"door", door},
    {"reconnect", reconnect},
    {"task_programs", task_programs},
    {"task_functions", task_functions},
    {"task_offers", task_offers},
    {"allocation", allocation},
    {"executor_growth", executor_growth},
    {"barrier", barrier},
    {"gang_run", gang_run},
    {"line_router", line_router},
    {"spark_frames", spark_frames},
    {"spark_registrations", spark_registrations},
    {"spark_heartbeats", spark_heartbeats},
    {"spark_app_latency", spark_app_latency},
    {"spark_apps", spark_apps},
    {"spark_launch", spark_launch},
    {"spark_recovery", spark_recovery},
    {"spark_memory", spark_memory},
    {"spark_json", spark_json},
    {"job_startup", job_startup},
    {"program_tasks", program_tasks},
    {"submit_latency", submit_latency},
    {"wordcount", wordcount},
    {"memory", memory},
    {"memory_core", memory_core},
    {"schedule_pass", schedule_pass},
    {"schedule_pass_placing", schedule_pass_placing},
};

std::vector<std::string> all_names() {
  std::vector<std::string> result;
  for (const auto& bench : benches)
    result.emplace_back(bench.name);
  return result;
}

/// Returns whether it went well.
bool run_here(const std::string& name, Extent extent) {
  try {
    for (const auto& bench : benches)
      if (bench.name == name)
        bench.run(extent);
    return true;
  } catch (const std::exception& e) {
    Figure{name}.text("error", e.what()).print();
    std::cerr << name << " failed: " << e.what() << std::endl;
    return false;
  }
}

/// Runs a bench in a process of its own: with memory that nothing has used
/// before, and where it can be ended.
bool run_apart(const std::string& name, Extent extent,
               std::chrono::seconds limit) {
  std::vector<std::string> words{own_path(), "--here", name};
  if (extent.quick)
    words.emplace_back("--quick");
  auto start = BenchClock::now();
  ChildProcess child{words};
  auto status = child.wait_for(limit);
  std::cerr << name << " took " << seconds_since(start) << " s" << std::endl;
  if (!status)
    Figure{name}.text("error", "did not end in time").print();
  else if (*status > 1)
    Figure{name}
        .text("error", "ended with status " + std::to_string(*status))
        .print();
  return status == 0;
}

int run(int argc, char** argv) {
  CLI::App app{"Measures Stoker on this machine, over loopback: one JSON line "
               "for each figure on standard output, progress on standard "
               "error. Without names: all benches."};
  std::vector<std::string> names;
  Extent extent;
  std::int64_t limit_s = 900;
  std::string here;
  std::string pyspark;
  std::string spark;
  auto only_names = false;
  app.add_option("BENCH", names, "What to measure")
      ->check(CLI::IsMember(all_names()));
  app.add_flag("--quick", extent.quick,
               "Small figures, in seconds: to see that it works");
  app.add_option("--limit", limit_s, "Seconds that one bench may take")
      ->capture_default_str();
  app.add_option("--pyspark", pyspark,
                 "The Python whose PySpark is measured beside barrier, if it "
                 "has one")
      ->type_name("PYTHON");
  app.add_option("--spark", spark,
                 "A Python environment with PySpark, as examples/pyspark/setup "
                 "makes: the benches spark_* measure its master, too")
      ->type_name("VENV")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--names", only_names, "Only print the names of all benches");
  // Set by this program itself.
  app.add_option("--here", here)->group("");
  app.footer("Ends with 0, or 1 when a bench failed: its line has \"error\".");
  CLI11_PARSE(app, argc, argv);
  if (only_names) {
    for (const auto& name : all_names())
      std::cout << name << '\n';
    return 0;
  }
  if (!here.empty())
    return run_here(here, extent) ? 0 : 1;
  if (!pyspark.empty())
    ::setenv("STOKER_BENCH_PYSPARK", pyspark.c_str(), 1);
  if (!spark.empty())
    ::setenv("STOKER_BENCH_SPARK", spark.c_str(), 1);
  // Of this process: a bench that is ended cannot remove what it wrote.
  TemporaryDirectory files;
  ::setenv("TMPDIR", files.path().c_str(), 1);
  auto good = true;
  for (const auto& name : names.empty() ? all_names() : names)
    good = run_apart(name, extent, std::chrono::seconds{limit_s}) && good;
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  try {
    auto environment = stoker::process_environment();
    if (argc > 1 && std::string_view{argv[1]} == barrier_task)
      return barrier_task_main(argc, argv);
    if (argc > 1 && std::string_view{argv[1]} == dataset_executor)
      return stoker::jobs::executor_main(argc, argv).value_or(1);
    if (stoker::is_executor(environment))
      return stoker::run_executor(environment, bench_functions()) ? 0 : 1;
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "stoker-bench: %s\n", e.what());
    return 1;
  }
}
