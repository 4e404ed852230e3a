// Applications of many instances: what they cost while they run and after.

#include <string>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/returning_cluster.hpp"

namespace stoker::benchmark {

namespace {

constexpr int worker_count = 10;
constexpr int cores_of_worker = 100;

AppSize instances_of(int count) {
  AppSize result{worker_count * cores_of_worker, 1, 512};
  result.instances = count;
  return result;
}

/// The time of `stoker status`, from its start to its end.
Samples time_of_status(const MasterAddress& master) {
  Samples result;
  for (int i = 0; i < 20; ++i) {
    auto begin = BenchClock::now();
    if (run_to_end({stoker_path(), "status", "--insecure", "--master",
                    to_string(master)})
        != 0)
      throw std::runtime_error("status did not end well");
    result.add(seconds_since(begin));
  }
  return result;
}

/// What has happened to a master, as far as it can be seen from outside.
Figure figure(const std::string& state, const MasterProcess& master,
              const std::string& data) {
  Figure result{"instances"};
  result.text("state", state)
      .number("rss_mb", master.use().rss_bytes / 1e6)
      .number("disk_mb", static_cast<double>(size_of_files(data)) / 1e6);
  return result;
}

} // namespace

void instances(Extent extent) {
  auto ended_apps = extent.of(200, 3);
  auto of_ended = extent.of(10'000, 100);
  auto of_present = extent.of(100'000, 1000);
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  TemporaryDirectory data;
  MasterRecipe recipe{.durable = true, .data = data.path()};
  MasterProcess first{recipe};
  first.await_log("ALIVE at");
  recipe.port = first.address().port;
  ReturningCluster cluster{network, {first.address()}};
  cluster.tally().programs_end = true;
  cluster.add_workers(worker_count, cores_of_worker, 1024 * 1024);
  auto empty = first.use().rss_bytes;

  auto begin = BenchClock::now();
  for (int i = 0; i < ended_apps; ++i)
    cluster.leave(cluster.run_instances(instances_of(of_ended)));
  auto seconds = seconds_since(begin);
  auto ended = first.use().rss_bytes;
  figure("ended applications", first, data.path())
      .count("apps", ended_apps)
      .count("instances_each", of_ended)
      .number("instances_per_s", ended_apps * of_ended / seconds)
      .number("bytes_per_instance", (ended - empty) / ended_apps / of_ended)
      .latency("status", time_of_status(first.address()))
      .print();

  begin = BenchClock::now();
  (void)cluster.run_instances(instances_of(of_present));
  seconds = seconds_since(begin);
  auto present = first.use().rss_bytes;
  figure("one application more, all of whose instances are done", first,
         data.path())
      .count("instances", of_present)
      .number("instances_per_s", of_present / seconds)
      .number("bytes_per_instance", (present - ended) / of_present)
      .latency("status", time_of_status(first.address()))
      .print();

  cluster.expect_return();
  first.kill();
  MasterProcess second{recipe};
  auto since_start = [&](BenchClock::time_point when) {
    return seconds_between(second.started_at(), when);
  };
  auto read = since_start(second.await_log("RECOVERING at"));
  auto alive = since_start(second.await_log("ALIVE at"));
  auto told = since_start(cluster.tally().apps_told.await());
  figure("started again on all of that", second, data.path())
      .number("state_read_s", read)
      .number("alive_s", alive)
      .number("app_told_s", told)
      .latency("status", time_of_status(second.address()))
      .print();
}

} // namespace stoker::benchmark
