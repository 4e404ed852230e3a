#include "tests/executor/functions.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <variant>

namespace stoker::executor::test {

Functions::Functions(std::map<std::string, TaskFunction> functions, int slots) {
  auto secret = ApplicationSecret::make();
  REQUIRE(secret);
  auto service
      = OutputService::start("127.0.0.1", 0, directory_.path("outputs"));
  REQUIRE(service);
  service_ = *std::move(service);
  auto server = service_->serve(app_, *secret);
  REQUIRE(server);
  server_ = *server;
  client_ = std::make_unique<OutputClient>(app_, *secret);
  ExecutorIdentity identity;
  identity.app_id = app_;
  identity.cores = 4;
  identity.memory_mb = 600;
  identity.outputs = server_;
  identity.work_directory = directory_.path("");
  stages_ = std::make_shared<StageTable>(std::move(identity), *secret);
  for (auto& [name, function] : functions)
    REQUIRE(functions_.add(name, std::move(function)));
  slots_ = std::make_unique<FunctionSlots>(slots, stages_, functions_,
                                           [this] { take(); });
}

DescribeStage Functions::stage(const std::string& function,
                               TaskOutputKind output,
                               std::vector<StageDependency> reads) {
  DescribeStage result;
  result.stage = StageId{described_++};
  result.name = function;
  result.function = FunctionCall{function, "argument"};
  result.output = output;
  result.reads = std::move(reads);
  result.partitions = output == TaskOutputKind::output ? 3 : 1;
  result.directory = directory_.path("");
  return result;
}

TaskAttempt Functions::add(const DescribeStage& stage, int task,
                           const std::string& text) {
  TaskAttempt id{stage.stage, task, 0};
  slots_->add({{std::make_shared<const DescribeStage>(stage), {id, {}, text}}});
  return id;
}

void Functions::take() {
  std::lock_guard lock{mutex_};
  auto ends = slots_->take_ended();
  std::move(ends.begin(), ends.end(), std::back_inserter(ended_));
  changed_.notify_all();
}

TaskStatus Functions::await(const TaskAttempt& task) {
  std::unique_lock lock{mutex_};
  INFO(to_string(task));
  auto found = ended_.end();
  REQUIRE(changed_.wait_for(lock, patience, [&] {
    found = std::find_if(ended_.begin(), ended_.end(),
                         [&](const auto& x) { return x.id == task; });
    return found != ended_.end();
  }));
  return *found;
}

std::vector<TaskAttempt> Functions::ended() {
  std::lock_guard lock{mutex_};
  std::vector<TaskAttempt> result;
  for (const auto& x : ended_)
    result.push_back(x.id);
  return result;
}

void Functions::written(StageId stage, int tasks) {
  StageOutputs outputs;
  outputs.stage = stage;
  outputs.servers = {server_};
  outputs.places.assign(static_cast<std::size_t>(tasks), {0, 0});
  stages_->know(outputs);
}

std::string Functions::contents(const TaskAttempt& task,
                                PartitionRange partitions) const {
  auto fetched
      = client_->fetch({server_, task}, partitions, std::size_t{1} << 26);
  const auto* failure = std::get_if<FetchFailure>(&fetched);
  INFO((failure == nullptr ? "" : failure->text));
  REQUIRE(failure == nullptr);
  return std::get<std::string>(fetched);
}

std::size_t thread_count() {
  std::filesystem::directory_iterator all{"/proc/self/task"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace stoker::executor::test
