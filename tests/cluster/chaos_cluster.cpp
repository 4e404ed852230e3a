#include "tests/cluster/chaos_cluster.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

std::string setting(const std::string& name, std::chrono::milliseconds x) {
  return name + '=' + std::to_string(x.count()) + "ms";
}

/// Longer than a master that has been found again may be stopped once more:
/// then no application is given up. Heartbeats come four times in this time.
constexpr std::chrono::milliseconds patience_of_masters = 15s;

constexpr std::chrono::milliseconds kill_grace = 1s;

} // namespace

bool is_of_worker(Fault fault) {
  return fault == Fault::KILL_WORKER || fault == Fault::STOP_WORKER
         || fault == Fault::CUT_WORKER;
}

bool ChaosCluster::Trouble::overlaps(std::int64_t from_ms,
                                     std::int64_t to_ms) const {
  auto ms = [](Clock::time_point x) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               x.time_since_epoch())
        .count();
  };
  return ms(begin) <= to_ms && (!end || from_ms <= ms(*end));
}

ChaosCluster::ChaosCluster(const ChaosOptions& options) {
  if (options.partitions)
    make_network(options.masters + options.workers + 1);
  std::string addresses;
  for (int i = 1; i <= options.masters; ++i) {
    auto port = std::to_string(reserve_port());
    addresses += (i == 1 ? "stoker://" : ",") + host_of(i) + ':' + port;
    add(masters_, "master", i,
        {"master", "--port", port, "--data", path("data"), "--conf",
         setting("spark.worker.timeout", patience_of_masters), "--conf",
         setting("stoker.reconnect.timeout", patience_of_masters)});
  }
  environment["STOKER_MASTER"] = addresses;
  for (int i = 1; i <= options.workers; ++i)
    add(workers_, "worker", options.masters + i,
        {"worker", "--cores", "4", "--memory", "4g", "--work-dir",
         path("work-" + std::to_string(i)), "--conf",
         setting("spark.worker.timeout", patience_of_masters), "--conf",
         setting("stoker.orphan.grace", options.orphan_grace), "--conf",
         setting("stoker.kill.grace", kill_grace)});
  prefix = clients_;
  for (auto& x : masters_)
    start(x);
  for (auto& x : workers_)
    start(x);
  REQUIRE(eventually([&] {
    auto states = values_of(status().at("workers"), "state");
    return std::count(states.begin(), states.end(), "ALIVE") == options.workers;
  }));
}

/// Beyond the loopback address nobody listens without TLS.
void ChaosCluster::make_network(int machines) {
  network_ = std::make_unique<Network>(*this, machines);
  clients_ = network_->on(machines);
  std::vector<std::string> words{"certs", path("certs"), "--operator", "user"};
  for (int i = 1; i < machines; ++i)
    words.insert(words.end(), {"--host", host_of(i)});
  REQUIRE(run(words).status == 0);
  environment["STOKER_TLS_CA"] = path("certs/ca.pem");
  environment["STOKER_TLS_CERT"] = path("certs/user.pem");
  environment["STOKER_TLS_KEY"] = path("certs/user-key.pem");
}

std::string ChaosCluster::host_of(int machine) const {
  return network_ ? Network::address(machine) : "127.0.0.1";
}

void ChaosCluster::add(std::vector<Member>& group, const std::string& kind,
                       int machine, std::vector<std::string> words) const {
  auto host = host_of(machine);
  words.insert(words.end(), {"--host", host});
  if (network_)
    words.insert(words.end(),
                 {"--tls-cert", path("certs/" + host + ".pem"), "--tls-key",
                  path("certs/" + host + "-key.pem")});
  group.push_back({kind + ' ' + std::to_string(group.size() + 1), machine,
                   std::move(words)});
}

void ChaosCluster::start(Member& member) {
  prefix = network_ ? network_->on(member.machine) : clients_;
  member.process = &stoker(member.words);
  member.down = false;
  prefix = clients_;
}

void ChaosCluster::begin(const PlannedFault& fault) {
  troubles_.push_back({fault.what, fault.target, Clock::now(), {}});
  auto& member = member_of(fault);
  switch (fault.what) {
  case Fault::KILL_MASTER:
  case Fault::KILL_WORKER:
    member.down = true;
    member.process->send(SIGKILL);
    member.process->result();
    break;
  case Fault::STOP_MASTER:
  case Fault::STOP_WORKER:
    member.process->send(SIGSTOP);
    break;
  case Fault::CUT_MASTER:
  case Fault::CUT_WORKER:
    prefix.clear();
    network_->cut_off(member.machine);
    prefix = clients_;
    break;
  case Fault::REMOVE_LOCK:
    lock_removed_ = Clock::now();
    std::filesystem::remove(path("data/lock"));
    break;
  }
}

void ChaosCluster::end(const PlannedFault& fault) {
  auto& member = member_of(fault);
  switch (fault.what) {
  case Fault::KILL_MASTER:
  case Fault::KILL_WORKER:
    start(member);
    break;
  case Fault::STOP_MASTER:
  case Fault::STOP_WORKER:
    member.process->send(SIGCONT);
    break;
  case Fault::CUT_MASTER:
  case Fault::CUT_WORKER:
    prefix.clear();
    network_->reconnect(member.machine);
    prefix = clients_;
    break;
  case Fault::REMOVE_LOCK:
    break;
  }
  for (auto& x : troubles_)
    if (x.what == fault.what && x.target == fault.target && !x.end)
      x.end = Clock::now();
}

std::vector<std::string> ChaosCluster::broken() {
  std::vector<std::string> result;
  for (auto* group : {&masters_, &workers_})
    for (auto& x : *group)
      if (!x.down && !x.process->running()) {
        x.down = true;
        result.push_back(x.name + " has ended with "
                         + std::to_string(x.process->result().status) + ": "
                         + x.process->err());
      }
  return result;
}

std::vector<std::string> ChaosCluster::stop() {
  std::vector<std::string> result;
  for (auto* group : {&workers_, &masters_})
    for (auto& x : *group) {
      x.process->send(SIGTERM);
      x.down = true;
      if (auto status = x.process->result().status; status != 0)
        result.push_back(x.name + " ends with " + std::to_string(status)
                         + " when it is stopped: " + x.process->err());
    }
  return result;
}

ChaosCluster::Member& ChaosCluster::member_of(const PlannedFault& fault) {
  auto& group = is_of_worker(fault.what) ? workers_ : masters_;
  return group.at(static_cast<std::size_t>(fault.target) - 1);
}

} // namespace stoker::test
