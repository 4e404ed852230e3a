#include "tests/process/support.hpp"

#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "process/directory.hpp"
#include "process/output_reader.hpp"
#include "process/process_tree.hpp"
#include "tests/support/catch.hpp"

namespace stoker::process::test {

namespace fs = std::filesystem;

namespace {

std::vector<pid_t> read_pids(const std::string& file) {
  std::vector<pid_t> result;
  std::ifstream in{file};
  for (pid_t pid = 0; in >> pid;)
    result.push_back(pid);
  return result;
}

std::string read_all(const std::string& directory, LogStream stream) {
  auto result = read_log(directory, stream, 0, std::size_t{1} << 30);
  if (!result)
    throw std::runtime_error{result.error().message};
  return result->data;
}

} // namespace

TemporaryDirectory::TemporaryDirectory(const std::string& parent) {
  auto name = parent + "/stoker-process-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error{"no temporary directory"};
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  for (auto pid : read_pids(path("pids")))
    if (!has_ended(pid))
      ::kill(pid, SIGKILL);
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryDirectory::path(const std::string& name) const {
  return name.empty() ? path_ : path_ + "/" + name;
}

Watch::Watch() : Watch(MonitorConfig{TEST_PROGRAM}) {
}

Watch::Watch(MonitorConfig config) {
  monitor_.emplace(std::move(config),
                   [this](const std::string& key, const Report& report) {
                     std::lock_guard guard{mutex_};
                     reports_[key].push_back(report);
                     changed_.notify_all();
                   });
}

Watch::~Watch() {
  if (!monitor_)
    return;
  monitor_->end_all();
  monitor_->wait_until_empty(patience);
}

void Watch::forget() {
  monitor_.reset();
}

std::vector<Report> Watch::reports(const std::string& key) {
  std::lock_guard guard{mutex_};
  return reports_[key];
}

LaunchSpec spec_for(const std::string& directory,
                    std::vector<std::string> arguments) {
  LaunchSpec result;
  result.title = "a test";
  result.arguments = std::move(arguments);
  result.arguments.insert(result.arguments.begin(), TEST_PROGRAM);
  result.environment = {{"PATH", "/usr/bin:/bin"}};
  result.directory = directory;
  result.kill_grace = 300ms;
  return result;
}

Ended without_use(Ended x) {
  x.use.reset();
  x.ago = {};
  return x;
}

Ended run(const LaunchSpec& spec) {
  Watch watch;
  auto status = watch.monitor().start("program", spec);
  INFO((status ? "" : status.error().message));
  REQUIRE(status);
  auto ended = watch.await<Ended>("program");
  REQUIRE(ended);
  return *ended;
}

std::string output_of(const std::string& directory) {
  return read_all(directory, LogStream::out);
}

std::string errors_of(const std::string& directory) {
  return read_all(directory, LogStream::err);
}

State state_in(const std::string& directory) {
  auto opened = Directory::open(directory);
  REQUIRE(std::holds_alternative<Directory>(opened));
  auto state = std::get<Directory>(opened).load();
  REQUIRE(std::holds_alternative<State>(state));
  return std::get<State>(state);
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
  auto entry = read_process(pid);
  return !entry || entry->dead;
}

bool have_ended(const std::vector<pid_t>& pids) {
  return std::all_of(pids.begin(), pids.end(), has_ended);
}

} // namespace stoker::process::test
