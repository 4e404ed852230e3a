#include "tests/cluster/network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include <openssl/ssl.h>

#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

std::string network_of(pid_t pid) {
  std::error_code error;
  return std::filesystem::read_symlink(
      "/proc/" + std::to_string(pid) + "/ns/net", error);
}

std::vector<std::string> inside(const Process& machine) {
  return {"nsenter", "--target", std::to_string(machine.pid()), "--net", "--"};
}

/// Opens a connection from another network namespace, and lets `talk` use it.
/// Only a thread of its own enters the namespace.
std::string connect_from(const Process& machine, const std::string& address,
                         std::uint16_t port,
                         const std::function<std::string(int)>& talk) {
  std::string result = "(no connection)";
  std::thread thread{[&] {
    auto path = "/proc/" + std::to_string(machine.pid()) + "/ns/net";
    auto space = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (::setns(space, CLONE_NEWNET) != 0)
      return;
    ::close(space);
    auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    ::inet_pton(AF_INET, address.c_str(), &to.sin_addr);
    timeval timeout{std::chrono::seconds{patience}.count(), 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0)
      result = talk(fd);
    ::close(fd);
  }};
  thread.join();
  return result;
}

} // namespace

Network::Network(Sandbox& sandbox, int machines) : sandbox_(sandbox) {
  switch_ = &start_machine();
  auto on_switch = [&](std::vector<std::string> words) {
    auto all = inside(*switch_);
    all.insert(all.end(), words.begin(), words.end());
    require(all);
  };
  on_switch({"ip", "link", "add", "hub", "type", "bridge"});
  on_switch({"ip", "link", "set", "hub", "up"});
  for (int i = 1; i <= machines; ++i) {
    auto& machine = start_machine();
    machines_.push_back(&machine);
    auto port = "port" + std::to_string(i);
    on_switch({"ip", "link", "add", port, "type", "veth", "peer", "name",
               "eth0", "netns", std::to_string(machine.pid())});
    on_switch({"ip", "link", "set", port, "master", "hub", "up"});
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"ip", "address", "add", address(i) + "/24", "dev", "eth0"},
             {"ip", "link", "set", "eth0", "up"},
             {"ip", "link", "set", "lo", "up"}}) {
      auto all = on(i);
      all.insert(all.end(), words.begin(), words.end());
      require(all);
    }
  }
}

std::optional<std::string> Network::why_unavailable(Sandbox& sandbox) {
  if (::getuid() != 0)
    return "only root can make network namespaces";
  auto result = sandbox
                    .start({"unshare", "--net", "ip", "link", "add", "hub",
                            "type", "bridge"})
                    .result();
  if (result.status != 0)
    return "cannot make a network namespace here: " + result.err;
  return std::nullopt;
}

std::string Network::address(int machine) {
  return "10.77.0." + std::to_string(machine);
}

std::vector<std::string> Network::on(int machine) const {
  return inside(*machines_.at(static_cast<std::size_t>(machine) - 1));
}

void Network::cut_off(int machine) {
  set_port(machine, "down");
}

void Network::reconnect(int machine) {
  set_port(machine, "up");
}

std::string Network::speak_tls(int from, const std::string& address,
                               std::uint16_t port) const {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
  auto talk = [&](int fd) -> std::string {
    std::unique_ptr<SSL, decltype(&SSL_free)> tls{SSL_new(context.get()),
                                                  SSL_free};
    SSL_set_fd(tls.get(), fd);
    // In TLS 1.3 this succeeds before the server has looked for a certificate.
    if (SSL_connect(tls.get()) != 1)
      return {};
    std::array<char, 100> data{};
    auto n = SSL_read(tls.get(), data.data(), static_cast<int>(data.size()));
    return {data.data(), static_cast<std::size_t>(std::max(n, 0))};
  };
  return connect_from(*machines_.at(static_cast<std::size_t>(from) - 1),
                      address, port, talk);
}

std::string Network::speak_plain(int from, const std::string& address,
                                 std::uint16_t port,
                                 const std::string& text) const {
  auto talk = [&](int fd) {
    ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    std::string answer;
    std::array<char, 100> data{};
    for (ssize_t n = 0; (n = ::recv(fd, data.data(), data.size(), 0)) > 0;)
      answer.append(data.data(), static_cast<std::size_t>(n));
    return answer;
  };
  return connect_from(*machines_.at(static_cast<std::size_t>(from) - 1),
                      address, port, talk);
}

Process& Network::start_machine() {
  auto& result = sandbox_.start({"unshare", "--net", "sleep", "infinity"});
  auto ours = network_of(::getpid());
  REQUIRE(eventually([&] {
    auto theirs = network_of(result.pid());
    return !theirs.empty() && theirs != ours;
  }));
  return result;
}

void Network::require(const std::vector<std::string>& words) {
  auto result = sandbox_.start(words).result();
  INFO(result.err);
  REQUIRE(result.status == 0);
}

void Network::set_port(int machine, const std::string& state) {
  auto words = inside(*switch_);
  words.insert(words.end(),
               {"ip", "link", "set", "port" + std::to_string(machine), state});
  require(words);
}

} // namespace stoker::test
