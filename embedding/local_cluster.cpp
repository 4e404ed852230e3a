#include "embedding/local_cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "actors/connector.hpp"
#include "actors/master.hpp"
#include "actors/worker.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/inherited_environment.hpp"
#include "embedding/machine.hpp"
#include "embedding/output_directories.hpp"
#include "embedding/spark_shuffle.hpp"
#include "embedding/supervisor_path.hpp"
#include "embedding/take_identity.hpp"
#include "process/private_directory.hpp"

namespace stoker {

namespace {

using namespace std::chrono_literals;

constexpr auto start_patience = 30s;

/// How long workers may take to end what they run: both graces, and some more.
constexpr auto stop_patience = 30s;

Instant now() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

/// Whatever outlives the process goes on in the next one.
struct PlaceOfWorker {
  /// Null where the next master would not know the worker.
  std::shared_ptr<WorkerIdentity> identity;
  std::shared_ptr<WorkerOutputs> outputs;
  std::unique_ptr<ShuffleService> shuffle_service;
};

struct NewWorker {
  WorkerConfig config;
  PlaceOfWorker place;
};

/// @param worker Gets the names of its predecessor, if it has one.
Result<PlaceOfWorker> take_place(const LocalClusterConfig& config,
                                 WorkerConfig& worker, int number) {
  PlaceOfWorker result;
  std::string outputs;
  if (config.storage.durable()) {
    auto identity = take_identity(worker);
    if (!identity)
      return std::move(identity).error();
    result.identity = *std::move(identity);
    outputs = result.identity->output_directory();
    worker.spark_directory = result.identity->spark_directory();
    worker.file_directory = result.identity->file_directory();
  } else {
    auto directory = own_output_directory(worker.work_directory, number);
    if (!directory)
      return std::move(directory).error();
    outputs = *std::move(directory);
    // Removed together with them.
    worker.spark_directory = outputs + "/.spark";
    worker.file_directory = outputs + "/.files";
  }
  auto host = config.listen ? output_host(config.listen->host, worker.host)
                            : std::string{"127.0.0.1"};
  worker.spark_host = host;
  auto started = WorkerOutputs::start(host, outputs);
  if (!started)
    return std::move(started).error();
  result.outputs = *std::move(started);
  auto shuffle_service = start_shuffle_service(worker);
  if (!shuffle_service)
    return std::move(shuffle_service).error();
  result.shuffle_service = *std::move(shuffle_service);
  return result;
}

} // namespace

Status validate(const LocalClusterConfig& config) {
  if (config.workers <= 0)
    return invalid("a cluster needs at least 1 worker, not "
                   + std::to_string(config.workers));
  if (auto status = validate(config.cluster); !status)
    return status;
  for (const auto& x : config.passed_variables)
    if (auto status = check_passed_variable(x); !status)
      return status;
  // A supervisor takes up to a second to end what has lost its worker.
  if (config.cluster.reconnect_timeout
      < config.worker.orphan_grace + std::chrono::seconds{1})
    return invalid("stoker.reconnect.timeout must be at least 1 s longer than "
                   "stoker.orphan.grace, or what a dead worker ran could run "
                   "twice");
  auto worker = config.worker;
  worker.cores = config.cores.value_or(worker.cores);
  worker.memory_mb = config.memory_mb.value_or(worker.memory_mb);
  return validate(worker);
}

Result<std::unique_ptr<LocalCluster>>
LocalCluster::start(ActorNetwork& network, LocalClusterConfig config) {
  auto status = validate(config);
  if (status)
    status = validate(config.storage);
  if (!status)
    return std::move(status).error();
  config.feed |= config.storage.keeps_history;
  config.cluster.durable = config.storage.durable() || config.feed;
  std::shared_ptr<MessageLogWriter> log;
  try {
    if (!config.message_log.empty())
      log = std::make_shared<MessageLogWriter>(
          config.message_log, config.cluster, config.message_log_limits);
  } catch (const std::runtime_error& e) {
    return Error{Errc::io, e.what()};
  }
  std::unique_ptr<LocalCluster> result{new LocalCluster{network}};
  result->url_ = config.cluster.master_url;
  MasterServices services{log, config.load_tenants, {}, {}};
  start_storage(network.system(), config.storage, services);
  if (config.feed)
    services.feed = network.system().spawn(
        stoker::feed, std::size_t{ChangeFeed::default_limit});
  result->feed_ = services.feed;
  start_history(network.system(), config.storage, services);
  start_files(network.system(), config.storage, services);
  services.network = &network;
  services.metrics = config.metrics;
  result->master_ = network.system().spawn(stoker::master, config.cluster,
                                           std::move(services));
  if (config.on_failure)
    stoker::on_failure(network.system(),
                       caf::actor_cast<caf::strong_actor_ptr>(result->master_),
                       "the master", config.on_failure);
  if (config.listen) {
    auto bound = network.publish(result->master_, config.listen->host,
                                 config.listen->port);
    if (!bound)
      return std::move(bound).error();
    result->url_ = to_string(MasterAddress{config.listen->host, *bound});
  }
  status = result->start_workers(config);
  if (status)
    status = result->await("the workers did not register in time",
                           [&](const MasterStateResponse& x) {
                             return result->alive(x) == result->ids_.size();
                           });
  if (!status)
    return std::move(status).error();
  return result;
}

void LocalCluster::reload_tenants() {
  caf::anon_send(master_, RequestReload{});
}

Status LocalCluster::start_workers(const LocalClusterConfig& config) {
  if (auto failed
      = process::make_private_directories(config.worker.work_directory);
      failed != 0)
    return Error{Errc::io, "cannot create the work directory "
                               + config.worker.work_directory + ": "
                               + std::strerror(failed)};
  auto found = find_supervisor(config.supervisor);
  if (!found)
    return Error{Errc::failed,
                 "cannot find the program 'stoker', which supervises what "
                 "workers start; install it or name it"};
  supervisor_ = *std::move(found);
  std::vector<NewWorker> workers;
  for (int i = 0; i < config.workers; ++i) {
    auto worker_config = config.worker;
    worker_config.id
        = WorkerId{"worker-" + compact_date(now()) + '-' + machine_name() + '-'
                   + std::to_string(getpid()) + '-' + std::to_string(i)};
    worker_config.endpoint = EndpointId{worker_config.id.value};
    worker_config.host = host_of_local_workers(machine_name());
    worker_config.cores
        = config.cores.value_or(std::max(1, machine_cores() / config.workers));
    worker_config.memory_mb
        = config.memory_mb.value_or(machine_memory_mb() / config.workers);
    worker_config.resources = dealt(config.worker.resources, i, config.workers);
    worker_config.environment = inherited_environment(config.passed_variables);
    worker_config.heartbeat_interval = config.cluster.worker_timeout / 4;
    worker_config.registration.seed
        = config.cluster.seed + static_cast<std::uint64_t>(i);
    if (auto status = validate(worker_config); !status)
      return status;
    auto place = take_place(config, worker_config, i);
    if (!place)
      return std::move(place).error();
    workers.push_back({std::move(worker_config), *std::move(place)});
  }
  // A worker that a standby turns away pauses before it asks again.
  if (auto status = await("the master did not become the leader in time",
                          [](const MasterStateResponse& x) {
                            return x.status != RecoveryState::STANDBY;
                          });
      !status)
    return status;
  for (auto& x : workers) {
    ids_.insert(x.config.id);
    auto end = std::make_shared<std::promise<void>>();
    ends_.push_back(end->get_future());
    workers_.push_back(network_.system().spawn<caf::detached>(
        stoker::worker, std::move(x.config), connector(),
        process::MonitorConfig{supervisor_.executable},
        [end](const StopWorker&) { end->set_value(); },
        std::move(x.place.identity), std::move(x.place.outputs)));
    report_served(x.place.shuffle_service.get(), workers_.back());
    shuffle_services_.push_back(std::move(x.place.shuffle_service));
    if (config.on_failure)
      on_failure(network_.system(),
                 caf::actor_cast<caf::strong_actor_ptr>(workers_.back()),
                 "a worker", config.on_failure);
  }
  return {};
}

std::size_t LocalCluster::alive(const MasterStateResponse& x) const {
  // Ours may be known from before a restart, as others are.
  return static_cast<std::size_t>(
      std::ranges::count_if(x.workers, [this](const WorkerInfo& y) {
        return ids_.contains(y.id) && y.state == WorkerState::ALIVE;
      }));
}

std::size_t LocalCluster::present(const MasterStateResponse& x) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(x.workers, [this](const WorkerInfo& y) {
        return ids_.contains(y.id) && y.state != WorkerState::DEAD;
      }));
}

Status LocalCluster::await(const char* what_failed,
                           const StateCondition& condition) {
  caf::scoped_actor self{network_.system()};
  auto deadline = std::chrono::steady_clock::now() + start_patience;
  RequestMasterState question;
  question.applications = question.drivers = false;
  while (std::chrono::steady_clock::now() < deadline) {
    auto done = false;
    self->request(master_, start_patience, question)
        .receive([&](const MasterStateResponse& x) { done = condition(x); },
                 [](const caf::error&) {});
    if (done)
      return {};
    std::this_thread::sleep_for(1ms);
  }
  return Error{Errc::failed, what_failed};
}

LocalCluster::~LocalCluster() {
  for (const auto& x : workers_)
    caf::anon_send(x, WorkerInternal{WorkerStopRequested{}});
  auto deadline = std::chrono::steady_clock::now() + stop_patience;
  for (auto& end : ends_)
    end.wait_until(deadline);
  // The next cluster with the same data would wait for workers that had left
  // without the master's having stored it.
  try {
    static_cast<void>(
        await("the workers did not leave in time",
              [&](const MasterStateResponse& x) { return present(x) == 0; }));
  } catch (const std::exception&) {
    // Then it waits: nothing else comes of it.
  }
  for (const auto& x : workers_)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(master_, caf::exit_reason::user_shutdown);
}

ConnectorActor LocalCluster::connector() const {
  return local_connector(network_.system(), master_);
}

} // namespace stoker
