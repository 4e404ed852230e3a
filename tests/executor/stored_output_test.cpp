// Tasks write outputs, and others read them.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "executor/fetched_input.hpp"
#include "executor/line_router.hpp"
#include "executor/partition_output.hpp"
#include "network/application_secret.hpp"
#include "outputs/fetch.hpp"
#include "outputs/output_service.hpp"
#include "tests/executor/support.hpp"

using namespace stoker;
using namespace stoker::executor;
using namespace stoker::executor::test;

namespace {

namespace fs = std::filesystem;

constexpr std::int32_t partition_count = 3;

/// A worker's service of outputs, and a client of the application.
class StoredOutputs {
public:
  StoredOutputs() {
    auto secret = ApplicationSecret::make();
    REQUIRE(secret);
    auto service
        = OutputService::start("127.0.0.1", 0, directory_.path("outputs"));
    REQUIRE(service);
    service_ = *std::move(service);
    auto server = service_->serve(app_, *secret);
    REQUIRE(server);
    server_ = *server;
    FetchLimits limits;
    limits.retry_wait = 1ms;
    client_ = std::make_unique<OutputClient>(app_, *secret, limits);
  }

  /// A program whose lines become an output.
  TaskProgram writing(TaskProgram program, const TaskAttempt& attempt) const {
    auto partitions
        = PartitionOutput::open(server_.directory, attempt, 0, partition_count);
    INFO((partitions ? "" : partitions.error().message));
    REQUIRE(partitions);
    program.output = std::make_shared<LineRouter>(
        Routing{RouteBy::key, partition_count}, *partitions);
    return program;
  }

  /// A program that reads a partition of all these outputs.
  TaskProgram reading(TaskProgram program, std::vector<TaskAttempt> attempts,
                      std::uint32_t partition) {
    std::vector<LocatedOutput> sources;
    for (const auto& attempt : attempts)
      sources.push_back({server_, attempt});
    program.input = std::make_unique<FetchedInput>(
        [this, sources, partition](std::stop_token stop) {
          return client_->read_partition(sources, partition, std::move(stop));
        },
        [this](const FetchFailure& failure) {
          std::lock_guard lock{mutex_};
          failure_ = failure;
        });
    return program;
  }

  std::optional<FetchFailure> failure() {
    std::lock_guard lock{mutex_};
    return failure_;
  }

  /// Changes the last byte of each output.
  void damage() const {
    for (const auto& file : fs::directory_iterator{server_.directory}) {
      if (file.path().extension() != ".data")
        continue;
      std::fstream data{file.path(),
                        std::ios::in | std::ios::out | std::ios::binary};
      data.seekp(-1, std::ios::end);
      data.put('!');
    }
  }

  /// What is in the application's directory, apart from what is the service's.
  [[nodiscard]] std::size_t file_count() const {
    std::size_t result = 0;
    for (const auto& file : fs::directory_iterator{server_.directory})
      result += file.path().extension() == ".data"
                || file.path().extension() == ".index";
    return result;
  }

private:
  const AppId app_{"app-20261121074600-0001"};
  stoker::test::TemporaryDirectory directory_;
  std::unique_ptr<OutputService> service_;
  OutputServer server_;
  std::unique_ptr<OutputClient> client_;
  std::mutex mutex_;
  std::optional<FetchFailure> failure_;
};

TaskAttempt mapper(std::int32_t task) {
  return {StageId{0}, task, 0};
}

} // namespace

TEST_CASE("what tasks write to partitions, others read") {
  StoredOutputs outputs;
  Tasks tasks{{.slots = 2}};
  // More than is held in memory, and less.
  auto large
      = tasks.add(outputs.writing(program({"seq", "1", "500000"}), mapper(0)));
  auto small = tasks.add(
      outputs.writing(program({"seq", "500001", "500010"}), mapper(1)));
  REQUIRE(succeeded(tasks.await(large)));
  REQUIRE(succeeded(tasks.await(small)));
  std::vector<int> numbers;
  for (std::uint32_t i = 0; i < partition_count; ++i) {
    auto x = outputs.reading(program({"cat"}), {mapper(0), mapper(1)}, i);
    auto output = collect(x);
    REQUIRE(succeeded(tasks.run(std::move(x))));
    std::istringstream lines{text_of(*output)};
    for (std::string line; std::getline(lines, line);) {
      numbers.push_back(std::stoi(line));
      if (partition_of(line, partition_count) != static_cast<int>(i))
        FAIL(line << " is in partition " << i);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  REQUIRE(numbers.size() == 500'010);
  CHECK(numbers.front() == 1);
  CHECK(numbers.back() == 500'010);
  CHECK(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end());
}

TEST_CASE("a task that fails leaves no output") {
  StoredOutputs outputs;
  Tasks tasks;
  auto end = tasks.run(outputs.writing(shell("seq 100; exit 1"), mapper(0)));
  CHECK(end.outcome == TaskOutcome{Exited{1}});
  CHECK(eventually([&] { return outputs.file_count() == 0; }));
}

TEST_CASE("a task that reads a missing output fails, and it is told which") {
  StoredOutputs outputs;
  Tasks tasks;
  REQUIRE(succeeded(
      tasks.run(outputs.writing(program({"seq", "100"}), mapper(0)))));
  auto end
      = tasks.run(outputs.reading(program({"cat"}), {mapper(0), mapper(1)}, 0));
  REQUIRE(std::holds_alternative<InputFailed>(end.outcome));
  auto failure = outputs.failure();
  REQUIRE(failure);
  CHECK(failure->attempt == mapper(1));
  CHECK_FALSE(failure->unreachable);
}

TEST_CASE("a task that reads a damaged output fails, also one that reads only "
          "its begin") {
  StoredOutputs outputs;
  Tasks tasks;
  REQUIRE(succeeded(
      tasks.run(outputs.writing(program({"seq", "3000000"}), mapper(0)))));
  auto last = static_cast<std::uint32_t>(partition_count - 1);
  for (const char* command : {"cat >/dev/null", "head -n 1", "true"}) {
    auto x = outputs.reading(shell(command), {mapper(0)}, last);
    CHECK(succeeded(tasks.run(std::move(x))));
  }
  outputs.damage();
  for (const char* command : {"cat >/dev/null", "head -n 1", "true"}) {
    INFO(command);
    auto x = outputs.reading(shell(command), {mapper(0)}, last);
    CHECK(std::holds_alternative<InputFailed>(tasks.run(std::move(x)).outcome));
  }
  // What is not damaged can still be read.
  CHECK(succeeded(tasks.run(outputs.reading(shell("cat"), {mapper(0)}, 0))));
}

TEST_CASE(
    "a task that reads can be killed, and taken back before it has begun") {
  StoredOutputs outputs;
  Tasks tasks;
  REQUIRE(succeeded(
      tasks.run(outputs.writing(program({"seq", "3000000"}), mapper(0)))));
  auto first
      = tasks.add(outputs.reading(test_program({"sleep"}), {mapper(0)}, 0));
  auto second = tasks.add(outputs.reading(program({"cat"}), {mapper(0)}, 0));
  tasks.await_start(first);
  CHECK(tasks.slots().take_back(1) == std::vector<TaskAttempt>{second});
  tasks.slots().kill(first, "enough");
  CHECK(tasks.await(first).outcome == TaskOutcome{Killed{"enough"}});
  CHECK_FALSE(outputs.failure());
}
