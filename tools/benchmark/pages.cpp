// What a master shows to browsers and programs: how many requests it answers, how soon, and
// what that costs the master's own work.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "network/free_port.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/fake_cluster.hpp"
#include "tools/benchmark/master_process.hpp"
#include "tools/benchmark/spark_wire_page.hpp"

namespace stoker::benchmark {

namespace {

using std::chrono::milliseconds;

const char* const overview_path = "/";

/// What is read.
struct Wanted {
  std::string path;
  bool takes_gzip = false;
};

struct PageLoad {
  Samples first_bytes;
  std::int64_t requests = 0;
  std::int64_t bytes = 0;
};

/// Asks until `stop`.
/// @param pace between two requests; 0: as fast as it answers
PageLoad read_until(std::uint16_t port, const Wanted& wanted,
                    const std::atomic<bool>& stop, milliseconds pace) {
  WirePage page{port};
  PageLoad result;
  auto next = BenchClock::now();
  while (!stop) {
    auto visit = page.visit(wanted.path, wanted.takes_gzip);
    result.first_bytes.add(visit.first_byte_s);
    result.bytes += static_cast<std::int64_t>(visit.bytes);
    ++result.requests;
    next += pace;
    std::this_thread::sleep_until(next);
  }
  return result;
}

PageLoad load(std::uint16_t port, const Wanted& wanted, int readers,
              milliseconds time) {
  std::atomic<bool> stop{false};
  std::vector<std::future<PageLoad>> reading;
  for (int i = 0; i < readers; ++i)
    reading.push_back(std::async(std::launch::async, [&] {
      return read_until(port, wanted, stop, milliseconds{0});
    }));
  std::this_thread::sleep_for(time);
  stop = true;
  PageLoad result;
  for (auto& x : reading) {
    auto part = x.get();
    result.requests += part.requests;
    result.bytes += part.bytes;
    result.first_bytes.add_all(part.first_bytes);
  }
  return result;
}

/// Each page by itself, of a cluster that rests.
void answer_pages(ActorNetwork& network, int count, milliseconds time) {
  auto web_port = free_port("127.0.0.1");
  MasterProcess master{{.web_port = web_port}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  cluster.register_all(cluster.make_workers(count, 8, 64 * 1024));
  auto apps = cluster.make_apps(count, {1, 1, 512});
  auto& tally = cluster.tally();
  tally.executors_running.expect(count);
  for (const auto& app : apps)
    cluster.say(app, app.registration);
  tally.executors_running.await();
  cluster.drain();
  for (const auto& wanted : std::vector<Wanted>{{"/json/"},
                                                {"/json/", true},
                                                {"/json/workers"},
                                                {"/json/workers", true},
                                                {"/"},
                                                {"/applications"},
                                                {"/workers"},
                                                {"/api/v1/status"},
                                                {"/api/v1/status", true},
                                                {"/metrics"},
                                                {"/healthz"}})
    for (auto readers : {1, 4}) {
      load(web_port, wanted, readers, time / 4);
      auto cpu = master.use().cpu_seconds;
      auto begin = BenchClock::now();
      auto result = load(web_port, wanted, readers, time);
      auto requests = static_cast<double>(result.requests);
      Figure{"pages"}
          .text("path", wanted.path)
          .text("encoding", wanted.takes_gzip ? "gzip" : "none")
          .count("workers", count)
          .count("apps", count)
          .count("readers", readers)
          .count("bytes",
                 result.bytes / std::max<std::int64_t>(1, result.requests))
          .number("rate", requests / seconds_since(begin))
          .latency("first_byte", result.first_bytes)
          .number("master_cpu_us_per_op",
                  (master.use().cpu_seconds - cpu) * 1e6 / requests)
          .print();
    }
}

struct Placed {
  double seconds = 0;
  Samples first_bytes;
};

/// The master places executors, while readers ask for pages at a pace or nobody does.
Placed place(ActorNetwork& network, int workers, int executors, int readers) {
  auto web_port = free_port("127.0.0.1");
  MasterProcess master{{.web_port = web_port}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  cluster.register_all(
      cluster.make_workers(workers, 2 * executors / workers, 64 * 1024));
  auto& tally = cluster.tally();
  auto app = cluster.make_apps(1, {executors, 1, 512}).front();
  tally.executors_running.expect(executors);
  std::atomic<bool> stop{false};
  std::vector<std::future<PageLoad>> reading;
  constexpr milliseconds pace{10};
  for (int i = 0; i < readers; ++i)
    reading.push_back(std::async(std::launch::async, [&, i] {
      return read_until(
          web_port, {i % 2 == 0 ? overview_path : "/json/workers"}, stop, pace);
    }));
  auto begin = BenchClock::now();
  cluster.say(app, app.registration);
  Placed result;
  result.seconds = seconds_between(begin, tally.executors_running.await());
  stop = true;
  for (auto& x : reading)
    result.first_bytes.add_all(x.get().first_bytes);
  cluster.drain();
  return result;
}

void place_while_read(ActorNetwork& network, int workers, int executors,
                      int rounds) {
  Samples alone;
  Samples watched;
  Samples first_bytes;
  for (int i = 0; i < rounds; ++i)
    for (auto is_watched : {i % 2 == 0, i % 2 != 0}) {
      auto x = place(network, workers, executors, is_watched ? 4 : 0);
      (is_watched ? watched : alone).add(x.seconds);
      first_bytes.add_all(x.first_bytes);
    }
  Figure{"pages"}
      .text("event", "executors are placed meanwhile")
      .count("workers", workers)
      .count("executors", executors)
      .count("rounds", rounds)
      .number("placed_alone_s", alone.median())
      .number("placed_s", watched.median())
      .number("times_slower", watched.median() / alone.median())
      .latency("first_byte", first_bytes)
      .print();
}

/// Readers who follow a page that changes.
void follow_page(ActorNetwork& network, int viewers, int workers) {
  using boost::asio::ip::tcp;
  auto web_port = free_port("127.0.0.1");
  MasterProcess master{{.web_port = web_port}};
  master.await_port();
  FakeCluster cluster{network, master.address()};
  cluster.register_all(cluster.make_workers(workers, 8, 64 * 1024));
  cluster.drain();
  auto before = master.use();
  boost::asio::io_context context;
  std::vector<tcp::socket> readers;
  const std::string request{
      "GET /live?page=%2F HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"};
  auto begin = BenchClock::now();
  for (int i = 0; i < viewers; ++i) {
    auto& socket = readers.emplace_back(context);
    socket.connect({boost::asio::ip::address_v4::loopback(), web_port});
    boost::asio::write(socket, boost::asio::buffer(request));
  }
  // Something changes all the time, and everybody reads.
  std::int64_t bytes = 0;
  std::vector<char> buffer(64 * 1024);
  constexpr int rounds = 20;
  for (int i = 0; i < rounds; ++i) {
    cluster.register_all(cluster.make_workers(1, 8, 64 * 1024));
    std::this_thread::sleep_for(milliseconds{250});
    for (auto& socket : readers)
      while (socket.available() > 0)
        bytes += static_cast<std::int64_t>(
            socket.read_some(boost::asio::buffer(buffer)));
  }
  auto seconds = seconds_since(begin);
  auto after = master.use();
  Figure{"pages"}
      .text("event", "a page is followed")
      .count("viewers", viewers)
      .number("rss_mb", (after.rss_bytes - before.rss_bytes) / 1e6)
      .number("master_cpu_share",
              (after.cpu_seconds - before.cpu_seconds) / seconds)
      .number("mb_per_s", static_cast<double>(bytes) / 1e6 / seconds)
      .print();
}

} // namespace

void pages(Extent extent) {
  auto opened = ActorNetwork::without_proof();
  auto& network = *opened;
  answer_pages(network, extent.of(1000, 5),
               extent.of(milliseconds{3000}, milliseconds{50}));
  place_while_read(network, extent.of(1000, 5), extent.of(10'000, 20),
                   extent.of(6, 1));
  follow_page(network, extent.of(1000, 5), extent.of(1000, 5));
}

} // namespace stoker::benchmark
