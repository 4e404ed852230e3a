// Jobs whose workers have full disks.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

/// How an error begins.
std::string no_room_on(const std::string& worker_id) {
  return "no room is left where it writes on worker " + worker_id
         + ": its output failed: ";
}

/// A worker of a core on a small disk of its own, which the test can fill.
struct SmallDiskCluster : JobCluster {
  SmallDiskCluster() : JobCluster{0} {
    start_master();
    auto disk = path("disk");
    fs::create_directory(disk);
    // In a mount namespace of its own, so that nothing is left of the mount.
    auto& worker = start(
        {"unshare", "--mount", "sh", "-c",
         "mount -t tmpfs -o size=4m tmpfs '" + disk
             + "' && exec '" STOKER_PROGRAM
               "' worker \"$STOKER_MASTER\" --cores 1 --memory 1g --work-dir '"
             + disk + "'"});
    await(worker, "registered with");
    worker_id = values_of(status().at("workers"), "id").at(0);
    filler_
        = "/proc/" + std::to_string(worker.pid()) + "/root" + disk + "/full";
  }

  void fill() const {
    std::ofstream full{filler_};
    full << std::string(10'000'000, '.') << std::flush;
    CHECK(!full);
  }
  void make_room() const {
    fs::remove(filler_);
  }

  /// A job of so many tasks that say so when they begin, wait for `go` and write too
  /// much for a full disk, and of one that counts their lines.
  Process& start_writers(int tasks) {
    return start_job(
        R"({"name": "a", "input": {"range": )" + std::to_string(tasks)
        + R"(}, "shuffle": {"partitions": 1}, "command": ["sh", "-c",
             "touch began$STOKER_TASK; until [ -e go ]; do sleep 0.05; done; seq 100000"], )"
        + here()
        + R"(}, {"name": "b", "from": ["a"], "command": ["wc", "-l"]})");
  }
  void await_begun(int tasks) const {
    for (int task = 0; task < tasks; ++task)
      REQUIRE(eventually(
          [&] { return fs::exists(path("began" + std::to_string(task))); }));
  }

  std::string worker_id;

private:
  std::string filler_;
};

bool can_mount() {
  if (::getuid() == 0)
    return true;
  skip("only root can make a small disk");
  return false;
}

} // namespace

TEST_CASE("tasks leave a worker whose disk is full, and fail nothing") {
  if (!can_mount())
    return;
  SmallDiskCluster cluster;
  cluster.start_core("work");
  auto& job = cluster.start_writers(6);
  cluster.await_begun(2);
  cluster.fill();
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "600000\n");
  CHECK(result.err.find(no_room_on(cluster.worker_id)) != std::string::npos);
  CHECK(values_of(cluster.jobs("stages"), "failed")
        == std::vector<std::string>{"0", "0"});
}

TEST_CASE("a job waits some seconds for room on the only disk") {
  if (!can_mount())
    return;
  SmallDiskCluster cluster;
  auto& job = cluster.start_writers(2);
  cluster.await_begun(1);
  cluster.fill();
  cluster.go();
  await(job, no_room_on(cluster.worker_id));
  CHECK(eventually([&] {
    auto stages = cluster.jobs("stages");
    return !stages.is_null()
           && values_of(stages, "waits").at(0)
                  == "2 tasks wait for disk space on worker "
                         + cluster.worker_id;
  }));
  cluster.make_room();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "200000\n");
}

TEST_CASE("a job ends, and says why, when the only disk stays full") {
  if (!can_mount())
    return;
  SmallDiskCluster cluster;
  auto& job = cluster.start_writers(1);
  cluster.await_begun(1);
  cluster.fill();
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK(result.out.empty());
  auto last = lines_of(result.err).back();
  CHECK(last.find("task 0 of stage 'a' failed 4 times, at last on ")
        != std::string::npos);
  auto why = last.find(no_room_on(cluster.worker_id));
  REQUIRE(why != std::string::npos);
  // It names where.
  CHECK(last.find(cluster.path("disk") + '/', why) != std::string::npos);
  CHECK(last.ends_with("No space left on device"));
}
