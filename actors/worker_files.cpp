#include "actors/worker_files.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "actors/file_fetcher.hpp"
#include "messages/caf_error.hpp"

namespace stoker {

namespace {

std::string file_directory_of(const WorkerConfig& config) {
  return config.file_directory.empty() ? config.work_directory + "/.files"
                                       : config.file_directory;
}

const FileFetcherActor& fetcher_of(WorkerSelf self) {
  auto& fetcher = self->state.fetcher;
  if (fetcher)
    return fetcher;
  const auto& worker = self->state.logic->config();
  FileFetcherConfig config;
  config.source = WorkerActor{self};
  config.store.directory = file_directory_of(worker);
  config.store.limits.file = config.store.limits.all = worker.file_bytes_max;
  // What is lost is fetched again, and a program may fill the disk as well.
  config.store.limits.left_free = 0;
  config.store.synced = false;
  fetcher = self->spawn<caf::detached + caf::linked>(file_fetcher,
                                                     std::move(config));
  return fetcher;
}

FetchFilePart question_of(WorkerSelf self, const ProgramId& id) {
  FetchFilePart result;
  result.worker_id = self->state.logic->config().id;
  if (const auto* executor = std::get_if<ExecutorId>(&id))
    result.executor = *executor;
  else
    result.driver = std::get<DriverId>(id);
  return result;
}

void has_failed(WorkerSelf self, const ProgramId& id, const std::string& why,
                std::optional<int> exit_status = {}) {
  // Not at once: the worker may be in the middle of a step.
  self->send(self, WorkerInternal{ProcessFailed{id, why, exit_status}});
}

/// In the words of Spark's workers, which tools look for; unset: it can be read.
std::optional<std::string> problem_with_jar(const std::string& jar) {
  if (::access(jar.c_str(), R_OK) == 0)
    return std::nullopt;
  return (errno == EACCES ? "java.nio.file.AccessDeniedException: "
                          : "java.nio.file.NoSuchFileException: ")
         + jar;
}

} // namespace

void find_kept_files(WorkerSelf self) {
  std::error_code error;
  if (std::filesystem::exists(file_directory_of(self->state.logic->config()),
                              error))
    fetcher_of(self);
}

void start_with_files(WorkerSelf self, const ProgramId& id,
                      const std::vector<CommandFile>& files,
                      process::LaunchSpec spec) {
  auto& state = self->state;
  auto ticket = ++state.last_ticket;
  PlaceFiles order{ticket, question_of(self, id), spec.program_directory,
                   files};
  state.waiting_programs[ticket] = {id, std::move(spec)};
  self->send(fetcher_of(self), std::move(order));
}

void start_with_jar(WorkerSelf self, const ProgramId& id,
                    const std::string& jar, process::LaunchSpec spec) {
  auto& state = self->state;
  auto ticket = ++state.last_ticket;
  state.waiting_programs[ticket] = {id, std::move(spec)};
  // A file system of another machine may hang.
  self->spawn<caf::detached>(
      [=, worker = WorkerActor{self}](caf::event_based_actor*) {
        FilesPlaced result;
        result.ticket = ticket;
        result.problem = problem_with_jar(jar);
        caf::anon_send(worker, std::move(result));
      });
}

void on_files_placed(WorkerSelf self, const FilesPlaced& x) {
  auto waiting = self->state.waiting_programs.extract(x.ticket);
  if (waiting.empty())
    return;
  const auto& [id, spec] = waiting.mapped();
  if (x.problem)
    return has_failed(self, id, *x.problem, x.exit_status);
  if (auto started = self->state.monitor->start(to_string(id), spec); !started)
    has_failed(self, id, started.error().message);
}

void stop_waiting_for_files(WorkerSelf self, const ProgramId& id) {
  auto& all = self->state.waiting_programs;
  for (auto i = all.begin(); i != all.end(); ++i)
    if (i->second.id == id) {
      self->send(fetcher_of(self), AbandonFiles{i->first});
      all.erase(i);
      return has_failed(self, id, "ended before its files were there");
    }
}

caf::result<FilePart> ask_for_file(WorkerSelf self, const FetchFilePart& x) {
  const auto& master = self->state.connection->master();
  if (!master || !self->state.logic->link().is_registered())
    return caf::make_error(Errc::not_alive,
                           std::string{"no master is connected"});
  auto promise = self->make_response_promise<FilePart>();
  self->request(master, defaults::master_answer_timeout, x)
      .then(
          [promise](FilePart& y) mutable { promise.deliver(std::move(y)); },
          [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  return promise;
}

void end_fetcher(WorkerSelf self) {
  if (self->state.fetcher)
    caf::anon_send_exit(std::exchange(self->state.fetcher, nullptr),
                        caf::exit_reason::user_shutdown);
}

} // namespace stoker
