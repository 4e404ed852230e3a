// What an instance writes, on its way to the person who runs it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/master_process.hpp"

namespace stoker::benchmark {

namespace {

struct CloseCommand {
  void operator()(std::FILE* file) const noexcept {
    ::pclose(file);
  }
};

/// Runs a command of the shell to its end, and counts what it writes.
std::int64_t bytes_of(const std::string& command) {
  std::unique_ptr<std::FILE, CloseCommand> output{
      ::popen(command.c_str(), "r")};
  if (!output)
    throw std::runtime_error("cannot start a process");
  std::vector<char> buffer(1 << 16);
  std::int64_t result = 0;
  while (auto count = std::fread(buffer.data(), 1, buffer.size(), output.get()))
    result += static_cast<std::int64_t>(count);
  return result;
}

/// `stoker run` of one instance that writes so many bytes.
void measure_output(const MasterProcess& master, const char* lines,
                    const std::string& program, std::int64_t bytes) {
  auto before = master.use();
  auto begin = BenchClock::now();
  auto read = bytes_of("exec '" + stoker_path() + "' run --quiet --master "
                       + to_string(master.address()) + " -- sh -c '" + program
                       + " | head -c " + std::to_string(bytes) + "'");
  auto seconds = seconds_since(begin);
  if (read != bytes)
    throw std::runtime_error("of " + std::to_string(bytes) + " bytes "
                             + std::to_string(read) + " arrived");
  auto after = master.use();
  Figure{"output"}
      .text("lines", lines)
      .count("bytes", bytes)
      .number("mb_per_s", static_cast<double>(bytes) / 1e6 / seconds)
      .number("master_cpu_s_per_gb", (after.cpu_seconds - before.cpu_seconds)
                                         / (static_cast<double>(bytes) / 1e9))
      .number("master_rss_mb", after.rss_bytes / 1e6)
      .print();
}

} // namespace

void output(Extent extent) {
  auto bytes = extent.of<std::int64_t>(2'000'000'000, 20'000'000);
  TemporaryDirectory files;
  // Where master, worker and commands find the owner's credentials.
  ::setenv("XDG_STATE_HOME", files.path().c_str(), 1);
  MasterProcess master{{.insecure = false}};
  master.await_log("ALIVE at");
  ChildProcess worker{{stoker_path(), "worker", to_string(master.address()),
                       "--cores", "2", "--memory", "2g", "--work-dir",
                       files.path() + "/work"},
                      files.path() + "/log"};
  // The first run waits until the worker is registered.
  (void)bytes_of("exec '" + stoker_path() + "' run --wait --quiet --master "
                 + to_string(master.address()) + " -- true");
  measure_output(master, "none", "cat /dev/zero", bytes);
  measure_output(master, "short", "yes", bytes);
}

} // namespace stoker::benchmark
