#include "tests/cluster/sandbox.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "tests/cluster/threads.hpp"
#include "tests/support/catch.hpp"

namespace stoker::test {

namespace {

namespace fs = std::filesystem;

/// Does not begin with STOKER_, which workers keep from their programs.
constexpr const char* marker_name = "SANDBOX_OF_TEST";

/// How much of a process's output is shown after a failure.
constexpr std::size_t shown_bytes = 4000;

/// Whether one of a process's descriptors, or its directory, is in `directory`.
bool holds_files_in(const fs::path& process, const std::string& directory) {
  auto points_there = [&](const fs::path& link) {
    std::error_code error;
    return fs::read_symlink(link, error).string().starts_with(directory + '/');
  };
  if (points_there(process / "cwd"))
    return true;
  std::error_code error;
  for (fs::directory_iterator i{process / "fd", error}, end; !error && i != end;
       i.increment(error))
    if (points_there(i->path()))
      return true;
  return false;
}

/// A process that only waits to be reaped has no command line.
std::string command_line(const fs::path& process) {
  auto text = contents_of(process / "cmdline");
  std::replace(text.begin(), text.end(), '\0', ' ');
  while (text.ends_with(' '))
    text.pop_back();
  return text;
}

std::string last_part_of(const std::string& text) {
  return text.size() <= shown_bytes
             ? text
             : "... " + text.substr(text.size() - shown_bytes);
}

} // namespace

Sandbox::Sandbox() {
  std::string name = fs::temp_directory_path() / "stoker-cluster-XXXXXX";
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = fs::canonical(name);
  // Others than the owner may run programs of it.
  ::chmod(path_.c_str(), 0755);
  fs::create_directories(path("outputs"));
  marker_ = std::string{marker_name} + '=' + path_;
  environment = {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                          "/sbin:/bin"},
                 {"HOME", path("home")},
                 // Of all clusters of this machine one has the default ports.
                 {"STOKER_SPARK_PORT", "0"},
                 {"STOKER_WEB_PORT", "0"},
                 {"STOKER_REST_PORT", "0"},
                 {marker_name, path_},
                 // So that what workers start can be found.
                 {"STOKER_WORKER_PASS_ENV", marker_name}};
}

Sandbox::~Sandbox() {
  if (std::uncaught_exceptions() == 0) {
    stop_all();
    auto none_left = eventually([this] { return processes().empty(); });
    for (const auto& [pid, description] : processes())
      UNSCOPED_INFO("left: " << pid << ' ' << description << '\n'
                             << threads_of(pid));
    CHECK(none_left);
  }
  if (std::uncaught_exceptions() > 0
      || std::getenv("STOKER_SHOW_OUTPUTS") != nullptr)
    show_outputs();
  kill_all();
  processes_.clear();
  for (auto fd : reserved_)
    ::close(fd);
  std::error_code error;
  fs::remove_all(path_, error);
}

std::string Sandbox::path(const std::string& name) const {
  return path_ + '/' + name;
}

Process& Sandbox::start(std::vector<std::string> words) {
  words.insert(words.begin(), prefix.begin(), prefix.end());
  auto number = std::to_string(processes_.size());
  return processes_.emplace_back(ProcessSpec{
      std::move(words), environment, path_, path("outputs/" + number + ".out"),
      path("outputs/" + number + ".err"), unprivileged});
}

Process& Sandbox::stoker(std::vector<std::string> words) {
  words.insert(words.begin(), STOKER_PROGRAM);
  return start(std::move(words));
}

Result Sandbox::run(std::vector<std::string> words) {
  return stoker(std::move(words)).result();
}

std::map<pid_t, std::string> Sandbox::processes() const {
  std::map<pid_t, std::string> result;
  std::error_code error;
  for (fs::directory_iterator i{"/proc", error}, end; !error && i != end;
       i.increment(error)) {
    auto pid = static_cast<pid_t>(
        std::strtol(i->path().filename().c_str(), nullptr, 10));
    if (pid <= 0 || pid == ::getpid())
      continue;
    auto variables = '\0' + contents_of(i->path() / "environ");
    auto marked = variables.find('\0' + marker_ + '\0') != std::string::npos;
    if (!marked && !holds_files_in(i->path(), path_))
      continue;
    if (auto description = command_line(i->path()); !description.empty())
      result[pid] = description;
  }
  return result;
}

std::uint16_t Sandbox::reserve_port() {
  // Bound and never listening: the system gives the port to nobody, neither as a
  // free one nor for a connection. Listeners that, like masters, reuse addresses
  // can have it.
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  reserved_.push_back(fd);
  int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(fd, generic, size) == 0);
  // After the bind, which must choose a port that nobody has in any way.
  REQUIRE(::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0);
  REQUIRE(::getsockname(fd, generic, &size) == 0);
  return ntohs(address.sin_port);
}

void Sandbox::kill_all() {
  eventually([this] {
    auto left = processes();
    for (const auto& [pid, description] : left)
      ::kill(pid, SIGKILL);
    return left.empty();
  });
}

void Sandbox::stop_all() {
  for (auto i = processes_.rbegin(); i != processes_.rend(); ++i) {
    i->send(SIGTERM);
    if (!eventually([&] { return !i->running(); })) {
      UNSCOPED_INFO("does not end: " << i->description());
      CHECK(false);
      return show_outputs();
    }
  }
}

void Sandbox::show_outputs() {
  for (auto& x : processes_) {
    std::cerr << "---- " << x.description() << "\n"
              << last_part_of(x.out()) << last_part_of(x.err());
    if (auto status = x.poll_status())
      std::cerr << "---- ended with " << *status << '\n';
    else
      std::cerr << "---- still runs\n";
  }
  for (const auto& [pid, description] : processes())
    std::cerr << "---- " << pid << ' ' << description << '\n'
              << threads_of(pid);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

} // namespace stoker::test
