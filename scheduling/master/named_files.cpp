#include "scheduling/master/named_files.hpp"

#include <algorithm>
#include <optional>

namespace stoker {

namespace {

/// A program that a worker has.
struct PlacedProgram {
  const Command* command = nullptr;
  const std::string* identity = nullptr;
};

bool has_worker(const ClusterState& state, WorkerKey key, const WorkerId& id) {
  return state.workers.contains(key) && state.workers.at(key).stored.id == id;
}

std::optional<PlacedProgram> find_placed(const ClusterState& state,
                                         const ExecutorId& id,
                                         const WorkerId& worker) {
  auto key = state.applications.find(id.app_id);
  if (!key)
    return std::nullopt;
  const auto& app = state.applications.at(*key);
  const auto* executor = app.executors.find(id.exec_id);
  if (executor == nullptr || !has_worker(state, executor->worker, worker))
    return std::nullopt;
  return PlacedProgram{&app.stored.description.command, &app.stored.identity};
}

std::optional<PlacedProgram> find_placed(const ClusterState& state,
                                         const DriverId& id,
                                         const WorkerId& worker) {
  auto key = state.drivers.find(id);
  if (!key)
    return std::nullopt;
  const auto& driver = state.drivers.at(*key);
  if (!driver.worker || !has_worker(state, *driver.worker, worker))
    return std::nullopt;
  return PlacedProgram{&driver.stored.description.command,
                       &driver.stored.identity};
}

bool names_file(const Command& command, const std::string& sha256) {
  return std::any_of(command.files.begin(), command.files.end(),
                     [&](const auto& x) { return x.sha256 == sha256; });
}

} // namespace

void for_each_named_file(
    const ClusterState& state,
    const std::function<void(const std::string&, const CommandFile&)>& visit) {
  auto look_at = [&](const auto& stored) {
    for (const auto& x : stored.description.command.files)
      visit(stored.identity, x);
    if (const auto& hook = stored.description.on_end)
      for (const auto& x : hook->command.files)
        visit(stored.identity, x);
  };
  for (const auto& [key, app] : state.applications.all())
    look_at(app.stored);
  for (const auto& [key, driver] : state.drivers.all())
    if (!is_finished(driver.stored.state))
      look_at(driver.stored);
}

Result<std::string> owner_of_file(const ClusterState& state,
                                  const FetchFilePart& x, const Speaker& who) {
  if (auto allowed = may_speak_for(state, x.worker_id, who); !allowed)
    return std::move(allowed).error();
  std::optional<PlacedProgram> program;
  if (x.executor)
    program = find_placed(state, *x.executor, x.worker_id);
  else if (x.driver)
    program = find_placed(state, *x.driver, x.worker_id);
  if (!program || !names_file(*program->command, x.sha256))
    return Error{Errc::not_allowed,
                 x.worker_id.value
                     + " runs no program that has this file; it gets none"};
  return *program->identity;
}

} // namespace stoker
