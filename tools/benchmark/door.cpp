// What the door in front of CAF costs: messages, round trips and connections over
// CAF alone, over the door, and over the door under TLS, in one run.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>

#include "messages/all.hpp"
#include "messages/registry.hpp"
#include "network/actor_network.hpp"
#include "network/owner_credentials.hpp"
#include "tools/benchmark/benches.hpp"
#include "tools/benchmark/figure.hpp"
#include "tools/benchmark/process.hpp"

namespace stoker::benchmark {

namespace {

constexpr const char* loopback = "127.0.0.1";

enum class Transport { caf, door, tls };

const char* name_of(Transport x) {
  switch (x) {
  case Transport::caf:
    return "CAF alone";
  case Transport::door:
    return "door";
  case Transport::tls:
    return "door with TLS";
  }
  return "";
}

/// Counts heartbeats, and tells how many there were.
caf::behavior counter(caf::event_based_actor*) {
  auto count = std::make_shared<int>(0);
  return {[count](const Heartbeat&) { ++*count; },
          [count](int) { return *count; }};
}

/// One process's end of a transport.
class End {
public:
  End(Transport transport, const std::string& state) {
    if (transport == Transport::caf) {
      register_messages(config_);
      config_.load<caf::io::middleman>();
      config_.set("scheduler.policy", caf::atom("sharing"));
      config_.set("middleman.workers", std::size_t{0});
      plain_ = std::make_unique<caf::actor_system>(config_);
    } else if (transport == Transport::door) {
      network_ = ActorNetwork::without_proof();
    } else {
      auto files = owner_credentials(state, Role::node);
      auto loaded
          = files ? Credentials::load(*files) : std::move(files).error();
      if (!loaded)
        throw std::runtime_error(loaded.error().message);
      network_ = std::make_unique<ActorNetwork>(*std::move(loaded));
    }
  }

  [[nodiscard]] caf::actor_system& system() const {
    return network_ ? network_->system() : *plain_;
  }

  std::uint16_t publish(const caf::actor& x) {
    if (plain_) {
      if (auto port = plain_->middleman().publish(x, 0, loopback))
        return *port;
      throw std::runtime_error("cannot listen");
    }
    auto port = network_->publish(x, loopback, 0);
    if (!port)
      throw std::runtime_error(port.error().message);
    return *port;
  }

  caf::actor connect(std::uint16_t port) {
    if (plain_) {
      if (auto actor = plain_->middleman().remote_actor(loopback, port))
        return *actor;
      throw std::runtime_error("cannot connect");
    }
    auto actor = network_->connect<caf::actor>({loopback, port});
    if (!actor)
      throw std::runtime_error(actor.error().message);
    return *actor;
  }

private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> plain_;
  std::unique_ptr<ActorNetwork> network_;
};

/// A process with a counter. To be started while this process has no threads.
class Server {
public:
  Server(Transport transport, const std::string& state) {
    int port[2];
    if (::pipe(port) != 0)
      throw std::runtime_error("cannot make a pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      End end{transport, state};
      auto listening = end.publish(end.system().spawn(counter));
      if (::write(port[1], &listening, sizeof listening) != sizeof listening)
        ::_exit(1);
      for (;;)
        ::pause();
    }
    ::close(port[1]);
    auto n = ::read(port[0], &port_, sizeof port_);
    ::close(port[0]);
    if (n != sizeof port_)
      throw std::runtime_error("the server does not start");
  }

  ~Server() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::uint16_t port() const {
    return port_;
  }
  [[nodiscard]] double cpu_seconds() const {
    return use_of(pid_).cpu_seconds;
  }

private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

int count_at(caf::scoped_actor& self, const caf::actor& server) {
  int result = -1;
  self->request(server, caf::infinite, 0)
      .receive([&](int x) { result = x; },
               [](const caf::error&) {
                 throw std::runtime_error("the connection broke");
               });
  return result;
}

void measure(Transport transport, const Server& server,
             const std::string& state, Extent extent) {
  Figure figure{"door"};
  figure.text("transport", name_of(transport));
  auto messages = extent.of(300'000, 2'000);
  auto round_trips = extent.of(5'000, 50);
  {
    End end{transport, state};
    auto actor = end.connect(server.port());
    caf::scoped_actor self{end.system()};
    (void)count_at(self, actor);
    Heartbeat heartbeat{WorkerId{"worker-20261121074600-node17-7078"},
                        EndpointId{"worker-20261121074600-node17-7078"}};
    auto cpu = server.cpu_seconds() + own_cpu_seconds();
    auto begin = BenchClock::now();
    for (int i = 0; i < messages; ++i)
      self->send(actor, heartbeat);
    if (count_at(self, actor) != messages)
      throw std::runtime_error("messages are missing");
    figure.count("messages", messages)
        .number("messages_per_s", messages / seconds_since(begin))
        .number("cpu_us_per_message",
                (server.cpu_seconds() + own_cpu_seconds() - cpu) * 1e6
                    / messages);
    Samples samples;
    for (int i = 0; i < round_trips; ++i) {
      auto asked = BenchClock::now();
      (void)count_at(self, actor);
      samples.add(seconds_since(asked));
    }
    figure.short_latency("round_trip", samples);
  }
  auto connections = extent.of(200, 5);
  Samples samples;
  auto server_cpu = server.cpu_seconds();
  for (int i = 0; i < connections; ++i) {
    End end{transport, state};
    auto begin = BenchClock::now();
    auto actor = end.connect(server.port());
    samples.add(seconds_since(begin));
  }
  figure.count("connections", connections)
      .latency("connect", samples)
      .number("server_cpu_ms_per_connection",
              (server.cpu_seconds() - server_cpu) * 1e3 / connections)
      .print();
}

} // namespace

void door(Extent extent) {
  TemporaryDirectory files;
  auto state = files.path() + "/state";
  // The first makes the credentials.
  if (auto made = owner_credentials(state, Role::node); !made)
    throw std::runtime_error(made.error().message);
  constexpr Transport all[] = {Transport::caf, Transport::door, Transport::tls};
  std::vector<std::unique_ptr<Server>> servers;
  for (auto transport : all)
    servers.push_back(std::make_unique<Server>(transport, state));
  for (std::size_t i = 0; i < servers.size(); ++i)
    measure(all[i], *servers[i], state, extent);
}

} // namespace stoker::benchmark
