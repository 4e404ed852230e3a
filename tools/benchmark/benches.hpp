#pragma once

namespace stoker::benchmark {

/// How much is measured: all of it, or just enough to see that it works.
struct Extent {
  bool quick = false;

  template <class T>
  [[nodiscard]] T of(T full, T quick_one) const {
    return quick ? quick_one : full;
  }
};

// The benches, each in a process of its own. They print figures and throw
// std::exception when they fail.

void schedule_pass(Extent extent);
void schedule_pass_placing(Extent extent);
void memory_core(Extent extent);
void startup(Extent extent);
void register_workers(Extent extent);
void heartbeats(Extent extent);
void memory(Extent extent);
void register_apps(Extent extent);
void app_latency(Extent extent);
void launch(Extent extent);
void waiting_apps(Extent extent);
void message_log(Extent extent);
void durable_registrations(Extent extent);
void journal(Extent extent);
void takeover(Extent extent);
void recovery(Extent extent);
void restart(Extent extent);
void instances(Extent extent);
void history(Extent extent);
void pages(Extent extent);
void output(Extent extent);
void shuffle(Extent extent);
void door(Extent extent);
void reconnect(Extent extent);
void task_programs(Extent extent);
void task_functions(Extent extent);
void task_offers(Extent extent);
void allocation(Extent extent);
void executor_growth(Extent extent);
void barrier(Extent extent);
void gang_run(Extent extent);
void line_router(Extent extent);
void spark_frames(Extent extent);
void spark_registrations(Extent extent);
void spark_heartbeats(Extent extent);
void spark_app_latency(Extent extent);
void spark_apps(Extent extent);
void spark_launch(Extent extent);
void spark_recovery(Extent extent);
void spark_memory(Extent extent);
void spark_json(Extent extent);
void job_startup(Extent extent);
void program_tasks(Extent extent);
void submit_latency(Extent extent);
void wordcount(Extent extent);

} // namespace stoker::benchmark
