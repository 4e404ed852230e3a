// What the disk costs: the journal's engine alone, in this process.

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "storage/sqlite_journal.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/core_cluster.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

StoredApplication new_app(std::uint32_t number) {
  StoredApplication result;
  result.number = number;
  result.id = AppId{"app-20261121074600-" + std::to_string(number)};
  result.driver = EndpointId{"app-client-4711-" + std::to_string(number)};
  result.description = describe({1, 1, 512});
  result.submitted = from_ms(1'795'280'000'000);
  result.cores_per_executor = 1;
  result.memory_per_executor_mb = 512;
  return result;
}

void commits(int batch, int count) {
  TemporaryDirectory directory;
  auto journal = *SqliteJournal::open(journal_file(directory.path()));
  (void)*journal->lead("stoker://127.0.0.1:7070", 1);
  std::uint32_t number = 0;
  Samples seconds;
  auto start = BenchClock::now();
  for (int i = 0; i < count; ++i) {
    Changes changes;
    for (int j = 0; j < batch; ++j)
      changes.emplace_back(new_app(number++));
    auto before = BenchClock::now();
    if (auto status = journal->commit(changes); !status)
      throw std::runtime_error(status.error().message);
    seconds.add(seconds_since(before));
  }
  auto all = seconds_since(start);
  Figure{"journal"}
      .text("recovery_mode", "SQLITE")
      .count("batch", batch)
      .number("commit_rate", count / all)
      .number("record_rate", number / all)
      .short_latency("commit", seconds)
      .print();
}

/// What no journal can beat: one page more at the end of a file.
void syncs(int count) {
  TemporaryDirectory directory;
  auto path = directory.path() + "/pages";
  auto file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    throw std::runtime_error("cannot make " + path);
  const std::string page(4096, 'x');
  Samples seconds;
  auto good = true;
  for (int i = 0; i < count && good; ++i) {
    auto before = BenchClock::now();
    good = ::write(file, page.data(), page.size())
               == static_cast<ssize_t>(page.size())
           && ::fdatasync(file) == 0;
    seconds.add(seconds_since(before));
  }
  ::close(file);
  if (!good)
    throw std::runtime_error("cannot write " + path);
  Figure{"journal"}
      .text("event", "page_synced")
      .short_latency("sync", seconds)
      .print();
}

} // namespace

void journal(Extent extent) {
  syncs(extent.of(500, 5));
  for (auto batch : {1, 10, 100, 1000})
    commits(batch, extent.of(batch < 1000 ? 500 : 50, 2));
}

} // namespace stoker::benchmark
