#include "tests/executor/support.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "process/process_tree.hpp"

namespace stoker::executor::test {

namespace fs = std::filesystem;

namespace {

std::vector<pid_t> read_pids(const std::string& file) {
  std::vector<pid_t> result;
  std::ifstream in{file};
  for (pid_t pid = 0; in >> pid;)
    result.push_back(pid);
  return result;
}

} // namespace

ProcessDirectory::~ProcessDirectory() {
  for (auto pid : read_pids(pids()))
    if (!has_ended(pid))
      ::kill(pid, SIGKILL);
}

Tasks::Tasks(TaskSlotsConfig config) {
  slots_ = std::make_unique<TaskSlots>(
      config, [this](const TaskAttempt& task, const TaskEvent& event) {
        std::lock_guard lock{mutex_};
        if (const auto* end = std::get_if<TaskEnd>(&event))
          ends_[task].push_back(*end);
        else
          started_.push_back(task);
        changed_.notify_all();
      });
}

TaskAttempt Tasks::add(TaskProgram program) {
  TaskAttempt task{StageId{3}, added_++, 0};
  auto status = slots_->add(task, std::move(program));
  INFO((status ? "" : status.error().message));
  REQUIRE(status);
  return task;
}

TaskEnd Tasks::await(const TaskAttempt& task) {
  std::unique_lock lock{mutex_};
  INFO(to_string(task));
  REQUIRE(
      changed_.wait_for(lock, patience, [&] { return !ends_[task].empty(); }));
  return ends_[task].front();
}

void Tasks::await_start(const TaskAttempt& task) {
  std::unique_lock lock{mutex_};
  INFO(to_string(task));
  REQUIRE(changed_.wait_for(lock, patience, [&] {
    return std::count(started_.begin(), started_.end(), task) > 0;
  }));
}

std::vector<TaskAttempt> Tasks::started() {
  std::lock_guard lock{mutex_};
  return started_;
}

std::size_t Tasks::ends_of(const TaskAttempt& task) {
  std::lock_guard lock{mutex_};
  return ends_[task].size();
}

TaskProgram program(std::vector<std::string> arguments) {
  TaskProgram result;
  result.arguments = std::move(arguments);
  result.environment = {{"PATH", "/usr/bin:/bin"}};
  return result;
}

TaskProgram test_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TEST_PROGRAM);
  return program(std::move(arguments));
}

TaskProgram shell(const std::string& command) {
  return program({"sh", "-c", command});
}

std::shared_ptr<CollectedOutput> collect(TaskProgram& program) {
  auto result = std::make_shared<CollectedOutput>(
      CollectedOutputLimits{.memory = std::size_t{1} << 26});
  program.output = result;
  return result;
}

std::string text_of(const CollectedOutput& output) {
  auto text = output.text();
  REQUIRE(text);
  return *text;
}

std::string output_of(TaskProgram program) {
  Tasks tasks;
  auto output = collect(program);
  auto end = tasks.run(std::move(program));
  INFO(to_string(end.outcome) << "\n" << end.last_errors);
  REQUIRE(succeeded(end));
  return text_of(*output);
}

std::vector<pid_t> await_pids(const std::string& file, std::size_t count) {
  std::vector<pid_t> result;
  REQUIRE(eventually([&] {
    result = read_pids(file);
    return result.size() >= count;
  }));
  return result;
}

bool has_ended(pid_t pid) {
  auto entry = process::read_process(pid);
  return !entry || entry->dead;
}

std::string processes_left() {
  std::string result;
  for (const auto& x : process::descendants_of(::getpid())) {
    std::ifstream in{"/proc/" + std::to_string(x.id.pid) + "/stat"};
    std::string line;
    std::getline(in, line);
    result += line + "\n";
  }
  return result;
}

std::size_t open_descriptors() {
  fs::directory_iterator all{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace stoker::executor::test
