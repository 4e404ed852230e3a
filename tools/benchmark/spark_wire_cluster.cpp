#include "tools/benchmark/spark_wire_cluster.hpp"

#include "network/free_port.hpp"

namespace stoker::benchmark {

WireCluster::WireCluster(const spark::VersionTable& table,
                         const spark::RpcAddress& master, Pages pages)
    : context_(table, master, free_port("127.0.0.1")) {
  if (pages == Pages::none)
    return;
  context_.page_port = free_port(wire_any_host);
  page_.emplace(context_.loop, context_.page_port, table.version());
}

template <class Peer, class... Arguments>
std::vector<std::unique_ptr<Peer>>
WireCluster::make(int count, const Arguments&... arguments) {
  constexpr int at_once = 100;
  std::vector<std::unique_ptr<Peer>> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(
        std::make_unique<Peer>(context_, next_index_++, arguments...));
    if (all_listen_)
      result.back()->listen();
    auto wanted = tally().masters_verified.value + 1 + i % at_once;
    result.back()->connect();
    if (i % at_once == at_once - 1 || i + 1 == count)
      until("connections are open", tally().masters_verified, wanted);
  }
  return result;
}

WireWorkers WireCluster::make_workers(int count, int cores, int memory_mb) {
  return make<WireWorker>(count, cores, memory_mb);
}

WireDrivers WireCluster::make_drivers(int count, const WireAppSize& size) {
  return make<WireDriver>(count, size);
}

BenchClock::time_point WireCluster::register_all(const WireWorkers& workers) {
  auto& registered = tally().workers_registered;
  auto wanted = registered.value + static_cast<std::int64_t>(workers.size());
  for (const auto& worker : workers)
    worker->register_it();
  until("workers are registered", registered, wanted);
  return registered.last_at;
}

} // namespace stoker::benchmark
