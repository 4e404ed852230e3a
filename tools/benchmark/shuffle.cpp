// What tasks after a shuffle read: over the service's connections, directly from its
// files, and, to compare, the same bytes through a socket pair, in one run.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "outputs/output_client.hpp"
#include "outputs/output_service.hpp"
#include "outputs/output_writer.hpp"
#include "process/unique_fd.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

constexpr int partitions = 16;
constexpr std::size_t shuffle_piece_bytes = std::size_t{128} << 10;

/// Of a shuffle, where each task before it wrote one output.
struct Shuffle {
  std::vector<LocatedOutput> outputs;
  std::uint64_t bytes = 0;
};

template <class T>
T value_of(Result<T> x) {
  if (!x)
    throw std::runtime_error(x.error().message);
  return *std::move(x);
}

/// Both ends are in this process, so that its time of processors is all that it
/// takes.
class Carrying {
public:
  void print(const std::string& transport, std::uint64_t bytes) const {
    auto seconds = seconds_since(begin_);
    auto mb = static_cast<double>(bytes) / 1e6;
    Figure{"shuffle"}
        .text("transport", transport)
        .count("mb", static_cast<std::int64_t>(mb))
        .number("mb_per_s", mb / seconds)
        .number("cpu_ms_per_mb", (own_cpu_seconds() - cpu_) * 1e3 / mb)
        .print();
  }

private:
  BenchClock::time_point begin_ = BenchClock::now();
  double cpu_ = own_cpu_seconds();
};

/// All of it through two connected sockets, without looking at it.
void carry_by_socket_pair(std::uint64_t bytes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error("no socket pair");
  process::UniqueFd from{ends[0]};
  process::UniqueFd to{ends[1]};
  Carrying carrying;
  std::jthread writer{[&] {
    std::string piece(shuffle_piece_bytes, 'x');
    for (auto left = bytes; left > 0;) {
      auto n = ::write(from.get(), piece.data(),
                       std::min<std::uint64_t>(left, piece.size()));
      if (n <= 0)
        break;
      left -= static_cast<std::uint64_t>(n);
    }
    from.reset();
  }};
  std::string piece(shuffle_piece_bytes, '\0');
  std::uint64_t got = 0;
  for (;;) {
    auto n = ::read(to.get(), piece.data(), piece.size());
    if (n <= 0)
      break;
    got += static_cast<std::uint64_t>(n);
  }
  if (got != bytes)
    throw std::runtime_error("the socket pair lost bytes");
  carrying.print("socket pair", bytes);
}

Shuffle write_shuffle(const OutputServer& server, int tasks,
                      std::uint64_t bytes) {
  Shuffle result;
  std::string piece(shuffle_piece_bytes, '\0');
  for (std::size_t i = 0; i < piece.size(); ++i)
    piece[i] = static_cast<char>(i * 2'654'435'761U >> 13U);
  auto pieces
      = bytes / static_cast<std::uint64_t>(tasks) / partitions / piece.size();
  Carrying carrying;
  for (int task = 0; task < tasks; ++task) {
    TaskAttempt attempt{StageId{0}, task, 0};
    auto writer = value_of(
        OutputWriter::open(server.directory, attempt, 0, partitions));
    for (int partition = 0; partition < partitions; ++partition)
      for (std::uint64_t i = 0; i < pieces; ++i)
        if (auto good = writer.append(partition, piece); !good)
          throw std::runtime_error(good.error().message);
    for (auto size : value_of(writer.commit()))
      result.bytes += size;
    result.outputs.push_back({server, attempt});
  }
  carrying.print("written", result.bytes);
  return result;
}

/// As the tasks after a shuffle do it, each of them one partition.
void read_shuffle(const std::string& transport, const OutputClient& client,
                  const Shuffle& shuffle) {
  Carrying carrying;
  std::uint64_t got = 0;
  for (std::uint32_t partition = 0; partition < partitions; ++partition) {
    auto reader = client.read_partition(shuffle.outputs, partition);
    for (;;) {
      auto fetched = reader.next();
      if (auto* failed = std::get_if<FetchFailure>(&fetched))
        throw std::runtime_error(failed->text);
      if (std::holds_alternative<EndOfOutputs>(fetched))
        break;
      got += std::get<OutputChunk>(fetched).bytes.size();
    }
  }
  if (got != shuffle.bytes)
    throw std::runtime_error("bytes are missing");
  carrying.print(transport, got);
}

} // namespace

void shuffle(Extent extent) {
  TemporaryDirectory files;
  auto service = value_of(
      OutputService::start("127.0.0.1", 0, files.path() + "/outputs"));
  AppId app{"app-20261121074600-0001"};
  auto secret = value_of(ApplicationSecret::make());
  auto server = value_of(service->serve(app, secret));
  auto bytes = extent.of<std::uint64_t>(1'000'000'000, 32'000'000);
  auto all = write_shuffle(server, extent.of(20, 4), bytes);
  OutputClient client{app, secret};
  // What was written is in the kernel's memory from now on, for all.
  read_shuffle("direct", client, all);
  for (auto& x : all.outputs)
    x.server.id.clear();
  read_shuffle("TLS", client, all);
  carry_by_socket_pair(all.bytes);
}

} // namespace stoker::benchmark
