#include "executor/running_function.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <variant>

#include "messages/printable.hpp"

namespace stoker::executor {

namespace {

/// Of what a function says when it fails.
constexpr std::size_t function_text_max = std::size_t{64} * 1024;

/// What this thread has used so far.
std::int64_t thread_cpu_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000;
}

std::string name_of(const FunctionCall& call) {
  return "function '" + call.name + "'";
}

/// An error with the function's name, if that says something to people.
Error named(const FunctionCall& call, Error error) {
  if (!call.name.starts_with(own_functions_prefix))
    error.message = name_of(call) + " failed: " + error.message;
  return error;
}

/// The first line is the error; of several, all stand beside it.
void say_why(TaskStatus& status, std::string why) {
  status.state = TaskState::FAILED;
  if (why.size() > function_text_max)
    why.resize(function_text_max);
  auto end = why.find('\n');
  status.error = printable(why.substr(0, end));
  if (end != std::string::npos)
    status.last_lines = std::move(why);
}

} // namespace

RunningFunction::RunningFunction(const StageTable& stages,
                                 const DescribeStage& stage,
                                 const LaunchTask& task, std::stop_token stop)
    : stages_(stages), stage_(stage), task_(task), stop_(std::move(stop)),
      output_(stages.executor(), stage, task.id) {
}

TaskStatus RunningFunction::run(const TaskFunctions& functions) {
  using Clock = std::chrono::steady_clock;
  auto begin = Clock::now();
  auto cpu_before_ms = thread_cpu_ms();
  TaskStatus result;
  result.id = task_.id;
  auto ended = call(functions);
  if (stop_.stop_requested()) {
    result.state = TaskState::KILLED;
    result.error = "killed";
  } else if (failure_) {
    say_why(result, "its input failed: " + failure_->text);
    result.fetch_failed = FetchFailed{failure_->attempt, failure_->unreachable};
  } else if (!ended) {
    say_why(result, ended.error().message);
  } else if (auto written = finish(result); !written) {
    result.result.reset();
    result.result_is_stored = false;
    say_why(result, "its output failed: " + written.error().message);
  }
  // Whatever the function made of that.
  result.disk_full = result.state == TaskState::FAILED && !result.fetch_failed
                     && output_.state().code() == Errc::full;
  result.bytes_read = bytes_read_;
  result.bytes_written = output_.bytes();
  result.cpu_ms = thread_cpu_ms() - cpu_before_ms;
  result.run_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                      Clock::now() - begin)
                      .count();
  return result;
}

std::uint64_t RunningFunction::memory_bytes() const {
  constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;
  const auto& executor = stages_.executor();
  auto cores = static_cast<std::uint64_t>(std::max(1, executor.cores));
  auto of_task = static_cast<std::uint64_t>(std::max(1, stage_.cores));
  auto all = static_cast<std::uint64_t>(std::max(1, executor.memory_mb));
  return all * megabyte * std::min(of_task, cores) / cores;
}

Status RunningFunction::call(const TaskFunctions& functions) {
  const auto& call = *stage_.function;
  const auto* function = functions.find(call.name);
  if (function == nullptr)
    return Error{Errc::not_found,
                 "there is no " + name_of(call)
                     + " here: the driver and its executors run different "
                       "programs"};
  try {
    auto result = (*function)(*this);
    return result ? result : named(call, std::move(result).error());
  } catch (const std::exception& x) {
    return Error{Errc::failed, name_of(call) + " threw: " + x.what()};
  } catch (...) {
    return Error{Errc::failed,
                 name_of(call) + " threw something that is no std::exception"};
  }
}

Status RunningFunction::finish(TaskStatus& status) {
  try {
    return output_.finish(status);
  } catch (const std::exception& x) {
    return Error{Errc::failed, x.what()};
  }
}

Result<StageDependency>
RunningFunction::dependency_at(std::size_t index) const {
  if (index >= stage_.reads.size())
    return invalid("there is no dependency " + std::to_string(index) + " of "
                   + std::to_string(stage_.reads.size()));
  return stage_.reads[index];
}

Status
RunningFunction::read(std::size_t dependency,
                      const std::function<Status(std::string_view)>& take) {
  auto from = dependency_at(dependency);
  if (!from)
    return std::move(from).error();
  return read(*from, task_.id.task, take);
}

Status
RunningFunction::read(std::size_t dependency, int partition,
                      const std::function<Status(std::string_view)>& take) {
  auto from = dependency_at(dependency);
  if (!from)
    return std::move(from).error();
  if (from->kind != DependencyKind::shuffle || partition < 0)
    return invalid("there is no partition " + std::to_string(partition)
                   + " of dependency " + std::to_string(dependency));
  return read(*from, partition, take);
}

Status
RunningFunction::read(const StageDependency& from, int number,
                      const std::function<Status(std::string_view)>& take) {
  auto sources = stages_.sources_of(from, number);
  if (!sources)
    return std::move(sources).error();
  auto reader = stages_.open(*std::move(sources), from.kind, number, stop_);
  while (!stop_.stop_requested()) {
    auto next = reader.next();
    if (std::holds_alternative<EndOfOutputs>(next))
      return {};
    if (auto* failed = std::get_if<FetchFailure>(&next)) {
      if (stop_.stop_requested())
        break;
      failure_ = std::move(*failed);
      return Error{failure_->unreachable ? Errc::no_answer : Errc::unreadable,
                   failure_->text};
    }
    const auto& bytes = std::get<OutputChunk>(next).bytes;
    bytes_read_ += static_cast<std::int64_t>(bytes.size());
    if (auto taken = take({bytes.data(), bytes.size()}); !taken)
      return taken;
  }
  return Error{Errc::not_running, "the task is to end"};
}

} // namespace stoker::executor
