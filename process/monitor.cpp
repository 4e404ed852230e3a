#include "process/monitor.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "process/control_protocol.hpp"
#include "process/directory.hpp"
#include "process/monitor_loop.hpp"
#include "process/output_reader.hpp"
#include "process/supervisor_launcher.hpp"

namespace stoker::process {

namespace {

/// How long what is known about a program may be out of reach because descriptors or
/// memory are short, and how often it is tried.
constexpr std::chrono::seconds shortage_patience{10};
constexpr std::chrono::milliseconds shortage_pause{100};

/// The supervisor does not share our current directory.
std::string absolute(const std::string& directory) {
  std::error_code error;
  auto path = std::filesystem::absolute(directory, error).lexically_normal();
  if (!path.has_filename()) // "dir/" means "dir"
    path = path.parent_path();
  return error ? directory : path.string();
}

Error taken(const std::string& key) {
  return {Errc::in_use, "'" + key + "' is watched already"};
}

} // namespace

Monitor::Monitor(MonitorConfig config, Listener listener)
    : config_(std::move(config)),
      loop_(
          std::make_unique<Loop>(std::move(listener), config_.hang_patience)) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Monitor::~Monitor() = default;

Status Monitor::start(const std::string& key, const LaunchSpec& spec) {
  if (auto status = validate(spec); !status)
    return status;
  Launch launch{make_token(), spec};
  launch.spec.directory = absolute(spec.directory);
  if (!spec.program_directory.empty())
    launch.spec.program_directory = absolute(spec.program_directory);
  if (auto status = prepare_directory(launch.spec.directory); !status)
    return status;
  if (!loop_->take_key(key))
    return taken(key);
  auto launched = launch_supervisor(config_.supervisor);
  if (!launched) {
    loop_->release_key(key);
    return std::move(launched).error();
  }
  State state;
  state.token = launch.token;
  state.guard = launched->id;
  WatchedProgram program{key, launch.spec.directory, state};
  program.watch(std::move(launched->connection), std::move(launched->guard),
                {});
  program.send(to_json(launch));
  loop_->add(std::move(program));
  return {};
}

Status Monitor::adopt(const std::string& key, const std::string& directory) {
  auto path = absolute(directory);
  auto state = read_state(path);
  // A program that counts as unknown would be started again elsewhere.
  for (auto until = std::chrono::steady_clock::now() + shortage_patience;
       !state && state.code() == Errc::io
       && std::chrono::steady_clock::now() < until;
       state = read_state(path))
    std::this_thread::sleep_for(shortage_pause);
  if (!state && state.code() == Errc::io)
    return std::move(state).error();
  auto opened = Directory::open(path);
  auto* found = std::get_if<Directory>(&opened);
  if (!state || found == nullptr)
    return Error{Errc::not_found,
                 "nothing is known about a program in '" + path + "'"};
  if (!loop_->take_key(key))
    return taken(key);
  WatchedProgram program{key, path, *state};
  program.watch(found->connect(), open_process(state->guard),
                open_process(state->supervisor));
  program.send(to_json(Request{RequestKind::hello, {}}));
  loop_->add(std::move(program));
  return {};
}

void Monitor::end(const std::string& key) {
  loop_->end(key);
}

void Monitor::keep_output(const std::string& key, const KeptOutput& kept) {
  loop_->keep_output(key, kept);
}

void Monitor::write_input(const std::string& key, std::int64_t offset,
                          std::string data, bool end, InputListener taken) {
  loop_->write_input(
      key, InputToWrite{offset, std::move(data), end, std::move(taken)});
}

void Monitor::end_all() {
  loop_->end_all();
}

bool Monitor::wait_until_empty(std::chrono::milliseconds timeout) {
  return loop_->wait_until_empty(timeout);
}

} // namespace stoker::process
