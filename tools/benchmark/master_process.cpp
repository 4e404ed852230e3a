#include "tools/benchmark/master_process.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "network/free_port.hpp"

namespace stoker::benchmark {

namespace {

const char* const host = "127.0.0.1";
constexpr std::chrono::seconds start_limit{20};
constexpr std::chrono::seconds log_limit{60};
constexpr std::chrono::microseconds pause_between_looks{200};

} // namespace

std::string stoker_path() {
  return std::filesystem::path{own_path()}.replace_filename("stoker");
}

MasterProcess::MasterProcess(const MasterRecipe& recipe)
    : address_{host, recipe.port != 0 ? recipe.port : free_port(host)} {
  std::vector<std::string> words{
      stoker_path(), "master", "--host", host, "--port",
      std::to_string(address_.port), "--data",
      recipe.data.empty() ? directory_.path() + "/data" : recipe.data,
      // No fake worker is lost while it waits for its turn.
      "--conf", "spark.worker.timeout=600s", "--conf",
      std::string{"spark.deploy.recoveryMode="}
          + (recipe.durable ? "SQLITE" : "NONE"),
      "--web-port", std::to_string(recipe.web_port)};
  if (recipe.insecure)
    words.emplace_back("--insecure");
  for (const auto& setting : recipe.settings)
    words.insert(words.end(), {"--conf", setting});
  if (recipe.logged)
    words.insert(words.end(), {"--log", directory_.path() + "/messages"});
  started_at_ = BenchClock::now();
  child_ = std::make_unique<ChildProcess>(std::move(words),
                                          directory_.path() + "/log");
}

BenchClock::time_point MasterProcess::await_port() {
  auto deadline = started_at_ + start_limit;
  using boost::asio::ip::tcp;
  boost::asio::io_context context;
  tcp::socket probe{context};
  boost::system::error_code error;
  tcp::endpoint to{boost::asio::ip::make_address(host), address_.port};
  while (probe.connect(to, error)) {
    probe.close();
    await(deadline);
  }
  return BenchClock::now();
}

BenchClock::time_point MasterProcess::await_log(const std::string& words) {
  auto deadline = BenchClock::now() + log_limit;
  std::size_t from = 0;
  while (true) {
    if (!log_.is_open())
      log_.open(directory_.path() + "/log");
    // It has grown since its end was met.
    log_.clear();
    seen_.append(std::istreambuf_iterator<char>{log_}, {});
    if (seen_.find(words, from) != std::string::npos)
      return BenchClock::now();
    from = seen_.size() - std::min(seen_.size(), words.size());
    await(deadline);
  }
}

void MasterProcess::await(BenchClock::time_point deadline) {
  if (BenchClock::now() > deadline
      || child_->wait_for(std::chrono::milliseconds{0}))
    throw std::runtime_error("the master does not start");
  std::this_thread::sleep_for(pause_between_looks);
}

BenchClock::time_point MasterProcess::kill() {
  auto result = BenchClock::now();
  child_.reset();
  return result;
}

std::int64_t size_of_files(const std::string& directory) {
  std::int64_t result = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator{directory})
    if (file.is_regular_file())
      result += static_cast<std::int64_t>(file.file_size());
  return result;
}

} // namespace stoker::benchmark
