// Jobs whose programs and data are not as one would wish.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/cluster/job_cluster.hpp"
#include "tests/support/catch.hpp"

using namespace stoker::test;

namespace {

namespace fs = std::filesystem;

} // namespace

TEST_CASE("bytes of all kinds come through a job as they are") {
  JobCluster cluster;
  std::string all;
  for (int i = 0; i < 100'000; ++i)
    all += static_cast<char>((i * 7919 + i / 251) % 256);
  if (!all.ends_with('\n'))
    all += '\n';
  std::ofstream{cluster.path("binary")} << all;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"files": [")" + cluster.path("binary")
      + R"("]}, "shuffle": {"partitions": 1}, "command": ["cat"]},
         {"name": "b", "from": ["a"], "command": ["cat"]})");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == all);
}

TEST_CASE("a line of 300 MB is one line to the next stage") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 1}, "shuffle": {"partitions": 2},
          "command": ["sh", "-c", "head -c 300000000 /dev/zero"]},
         {"name": "b", "from": ["a"], "command": ["wc", "-lc"]})");
  INFO(result.err);
  CHECK(result.status == 0);
  auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 2);
  auto has = [&](const std::string& text) {
    return std::count_if(lines.begin(), lines.end(), [&](const auto& x) {
      return x.find(text) != std::string::npos;
    });
  };
  CHECK(has("1 300000001") == 1);
}

TEST_CASE("a task that closes its input early, and goes on, is done") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 2}, "shuffle": {"partitions": 2},
          "command": ["seq", "1000000"]},
         {"name": "b", "from": ["a"], "command": ["sh", "-c",
          "read x; exec <&-; sleep 0.2; echo done"]})");
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\n");
}

TEST_CASE(
    "of hundreds of megabytes of standard error the last lines are shown") {
  JobCluster cluster;
  auto result = cluster.run_job(
      R"({"name": "a", "input": {"range": 1}, "max_failures": 1,
          "command": ["sh", "-c",
                      "yes 'an error' | head -c 400000005 >&2; echo last words >&2; exit 9"]})");
  CHECK(result.status == 9);
  CHECK(result.err.find("\n  | last words\n") != std::string::npos);
  CHECK(result.err.size() < 10'000);
  // It was the last attempt.
  CHECK(result.err.find("it is tried again") == std::string::npos);
  // Nor is it kept anywhere.
  std::uintmax_t kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator{cluster.path("")})
    kept += entry.is_regular_file() ? entry.file_size() : 0;
  CHECK(kept < 10'000'000);
}

TEST_CASE(
    "a job goes on when an executor is killed while it reads what another "
    "wrote") {
  JobCluster cluster;
  // More than what is read ahead, so that it reads until it is killed.
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 2}, "shuffle": {"partitions": 2, "by": "round-robin"},
          "command": ["sh", "-c", "yes 'some length, since each is handled alone' )"
      R"(| head -c 100000000"]},
         {"name": "b", "from": ["a"], "command": ["sh", "-c",
          "head -c 1000000 > /dev/null; touch began$STOKER_TASK;)"
      R"( until [ -e go ]; do sleep 0.05; done; cat > /dev/null; echo done"], )"
      + cluster.here() + "}");
  REQUIRE(eventually([&] {
    return fs::exists(cluster.path("began0"))
           && fs::exists(cluster.path("began1"));
  }));
  auto executors = cluster.executors();
  REQUIRE(executors.size() == 2);
  ::kill(executors.front(), SIGKILL);
  await(job, "its executor was lost");
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "done\ndone\n");
}

TEST_CASE("an output that is damaged on its disk is made again") {
  JobCluster cluster{0};
  cluster.start_master();
  cluster.start_worker();
  auto& job = cluster.start_job(
      R"({"name": "a", "input": {"range": 1}, "shuffle": {"partitions": 1},
          "command": ["seq", "100000"]},
         {"name": "b", "input": {"range": 1}, "shuffle": {"partitions": 1}, "command": ["sh", "-c",
          "touch began; until [ -e go ]; do sleep 0.05; done"], )"
      + cluster.here()
      + R"(}, {"name": "c", "from": ["a", "b"], "command": ["wc", "-l"]})");
  std::string data;
  REQUIRE(eventually([&] {
    for (const auto& entry :
         fs::recursive_directory_iterator{cluster.path("work-1")})
      if (entry.path().filename() == "0-0-0.data"
          && fs::exists(fs::path{entry.path()}.replace_extension(".index")))
        data = entry.path();
    return !data.empty() && fs::exists(cluster.path("began"));
  }));
  {
    std::fstream file{data, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(1000);
    file << "damage";
  }
  cluster.go();
  auto result = job.result();
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(result.out == "100000\n");
  CHECK(result.err.find("1 outputs of stage 'a' are made again")
        != std::string::npos);
}
