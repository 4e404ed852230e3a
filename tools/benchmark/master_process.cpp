#include "tools/benchmark/master_process.hpp"

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "actors/reachable.hpp"

namespace stoker::benchmark {

namespace {

const char* const host = "127.0.0.1";
constexpr std::chrono::seconds start_limit{20};

/// The program beside this one.
std::string stoker_path() {
  return std::filesystem::path{own_path()}.replace_filename("stoker");
}

} // namespace

MasterProcess::MasterProcess(const std::vector<std::string>& settings,
                             bool logged)
    : address_{host, free_port(host)} {
  std::vector<std::string> words{
      stoker_path(), "master", "--host", host, "--port",
      std::to_string(address_.port), "--data", directory_.path() + "/data",
      // No fake worker is lost while it waits for its turn.
      "--conf", "spark.worker.timeout=600s"};
  for (const auto& setting : settings)
    words.insert(words.end(), {"--conf", setting});
  if (logged)
    words.insert(words.end(), {"--log", directory_.path() + "/messages"});
  started_at_ = BenchClock::now();
  child_ = std::make_unique<ChildProcess>(std::move(words),
                                          directory_.path() + "/log");
}

BenchClock::time_point MasterProcess::await_port() {
  constexpr std::chrono::microseconds pause{200};
  auto deadline = started_at_ + start_limit;
  while (why_unreachable(host, address_.port, std::chrono::seconds{1})) {
    if (BenchClock::now() > deadline
        || child_->wait_for(std::chrono::milliseconds{0}))
      throw std::runtime_error("the master does not start");
    std::this_thread::sleep_for(pause);
  }
  return BenchClock::now();
}

} // namespace stoker::benchmark
