// What tests of barrier stages start: a driver, and its executors.

#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "jobs/jobs.hpp"

using namespace stoker::jobs;

namespace {

using Number = std::int64_t;

template <class T>
T value(stoker::Result<T> x) {
  if (!x)
    throw std::runtime_error{x.error().message};
  return *std::move(x);
}

void require(const stoker::Status& x) {
  if (!x)
    throw std::runtime_error{x.error().message};
}

void wait_for_end(const TaskContext& task) {
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any never;
  never.wait(lock, task.stop_token(), [] { return false; });
}

/// What each of four tasks does.
struct Play {
  std::string part;

  void operator()(Elements<Number>& all, Emit<std::string>& emit) const {
    const auto& task = task_context();
    auto number = std::to_string(task.partition());
    if (part == "gather") {
      require(task.barrier());
      auto said = value(task.all_gather("from " + number));
      require(task.barrier());
      std::string line;
      for (const auto& x : said)
        line += (line.empty() ? "" : ", ") + x;
      emit(line);
    } else if (part == "infos") {
      std::string line;
      for (const auto& x : value(task.task_infos()))
        line += x.address.empty() ? "?" : "a";
      emit(line);
    } else if (part == "mixed") {
      if (task.partition() == 2)
        value(task.all_gather("x"));
      else
        require(task.barrier());
    } else if (part == "fewer") {
      if (task.partition() != 1)
        require(task.barrier());
    } else if (part == "less") {
      if (task.partition() != 0)
        require(task.barrier());
      require(task.barrier());
    } else if (part == "late") {
      if (task.partition() == 3)
        wait_for_end(task);
      require(task.barrier());
    } else if (part == "again") {
      // The others wait: they are to end, too.
      if (task.partition() == 1 && task.attempt() == 0)
        throw std::runtime_error{"once"};
      require(task.barrier());
      emit(number + " in attempt " + std::to_string(task.attempt()));
    } else if (part == "dies") {
      if (task.partition() == 1 && task.attempt() == 0)
        ::_exit(9);
      require(task.barrier());
      emit(number + " in attempt " + std::to_string(task.attempt()));
    }
    all.each([](Number) {});
  }
};
BOOST_DESCRIBE_STRUCT(Play, (), (part))

/// In four partitions, which others have written: more than there are slots for.
Dataset<Number> redistributed(const Dataset<Number>& numbers) {
  return numbers.map([](Number x) {
                  return std::pair{x, x};
                })
      .reduce_by_key([](Number x, Number) { return x; }, 4)
      .map([](const std::pair<Number, Number>& x) { return x.first; });
}

int run(const std::string& part) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("stoker"));
  spdlog::set_level(spdlog::level::warn);
  ContextConfig config;
  config.name = "barriers";
  config.conf
      = {{"spark.executor.cores", "2"}, {"spark.executor.memory", "64m"}};
  config.supervisor = STOKER_PROGRAM;
  if (part == "late")
    config.conf["spark.barrier.sync.timeout"] = "1s";
  if (part == "mixed" || part == "fewer" || part == "less" || part == "late")
    config.conf["spark.stage.maxConsecutiveAttempts"] = "1";
  if (part == "speculation")
    config.conf["spark.speculation"] = "true";
  if (part == "large")
    config.conf["spark.cores.max"] = "2";
  auto context = value(Context::start(config));
  auto numbers = part == "wide"    ? redistributed(context->range(0, 18, 9))
                 : part == "empty" ? context->range(0, 0, 1)
                                   : context->range(0, 8, 4);
  Play play{part == "plain" || part == "wide" ? "gather" : part};
  auto played = part == "plain" ? numbers.map_partitions(play)
                                : numbers.barrier().map_partitions(play);
  for (const auto& line : value(played.collect()))
    std::cout << line << '\n';
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (auto code = executor_main(argc, argv))
    return *code;
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
