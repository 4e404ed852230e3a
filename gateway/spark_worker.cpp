#include "gateway/spark_worker.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include "gateway/spark_orders.hpp"
#include "gateway/spark_worker_reports.hpp"
#include "gateway/version_pages.hpp"

namespace stoker {

namespace {

/// What workers of Spark call the endpoint that hears a master.
constexpr const char* worker_endpoint = "Worker";

std::string shown(const SparkWorkerProxy& worker) {
  return "worker " + worker.registration.id.value;
}

/// Whether profiles look the same in all of these versions.
bool have_one_profile(const std::vector<const spark::VersionTable*>& tables) {
  constexpr const char* profile = "org.apache.spark.resource.ResourceProfile";
  const auto* first = tables.front()->find(profile);
  return first != nullptr
         && std::all_of(tables.begin(), tables.end(), [&](const auto* table) {
              const auto* other = table->find(profile);
              return other != nullptr && *other == *first;
            });
}

/// Who registers a worker is told what others' programs are, and starts them.
Status may_register_workers(SparkPeerSelf self) {
  auto user = user_behind(self, "registers a worker");
  if (!user)
    return std::move(user).error();
  if (user->may_all())
    return {};
  return Error{Errc::not_allowed,
               "user " + user->name() + " may not register workers here"};
}

/// The worker that the peer is, if it has this id. If not, that is logged.
SparkWorkerProxy* find_worker(SparkPeerSelf self, const std::string& id) {
  auto& worker = self->state.worker;
  if (worker && worker->registration.id.value == id)
    return &*worker;
  log_refusal(self, "it is not worker " + id);
  return nullptr;
}

/// From now on the peer is this worker.
void become(SparkPeerSelf self, SparkWorkerProxy worker) {
  self->state.heartbeat->forget();
  self->state.connection->accept();
  self->state.services->present_peers->add(worker.registration.worker);
  self->state.worker = std::make_unique<SparkWorkerProxy>(std::move(worker));
}

/// Registers the worker, also when it was registered before. The later a registration is,
/// the higher is its number.
void submit(SparkPeerSelf self) {
  auto& worker = *self->state.worker;
  worker.registration.stamp.connection
      = ++*self->state.services->worker_registrations;
  self->send(self->state.services->master, worker.registration);
}

/// The version of its Spark is known, or assumed.
void take_version(SparkPeerSelf self, const std::string& version,
                  const std::string& why) {
  auto& worker = *self->state.worker;
  worker.is_version_open = false;
  worker.registration.spark_versions = {version};
  spdlog::info("[spark-worker] {} at {} has Spark {}, {}", shown(worker),
               to_string(self->state.connection->peer()), version, why);
  submit(self);
}

void ask_version(SparkPeerSelf self, const VersionPage& page) {
  self->state.services->ask_version_of_worker(
      page, [handle = SparkPeerActor{self}](Result<std::string> x) {
        caf::anon_send(handle, SparkVersionSaid{std::move(x)});
      });
}

} // namespace

void register_worker(SparkPeerSelf self,
                     const std::vector<const spark::VersionTable*>& tables,
                     const spark::RegisterWorker& x) {
  auto& state = self->state;
  if (state.worker && state.worker->registration.id.value == x.id) {
    // It tries again when it was not answered in time, or was told to.
    if (!state.worker->is_version_open)
      submit(self);
    return;
  }
  SparkWorkerProxy worker;
  worker.endpoint = x.worker.name;
  worker.address = x.worker.address;
  worker.table = tables.front();
  worker.is_profile_unknown = !have_one_profile(tables);
  worker.master = rpc_address(state.connection->here());
  worker.master_called = x.master_address;
  worker.page_url = x.web_ui_url;
  worker.registration = to_registration(x);
  auto allowed = state.driver || state.worker
                     ? Status{invalid("it is another process already")}
                     : may_register_workers(self);
  if (!allowed) {
    log_refusal(self, allowed.error().message);
    return state.connection->send(
        order_frame(worker, RegisterWorkerFailed{allowed.error().message}));
  }
  auto port = page_port(x.web_ui_url);
  worker.is_version_open = port.has_value();
  become(self, std::move(worker));
  if (port)
    return ask_version(self, {{state.connection->peer().host, *port},
                              state.connection->owner()});
  take_version(self, tables.front()->version(),
               "as its messages say: it has no page");
}

void hear_version_of_worker(SparkPeerSelf self,
                            const Result<std::string>& version) {
  const auto& worker = self->state.worker;
  if (!worker || !worker->is_version_open)
    return;
  if (version) {
    self->state.worker->table = &spark::table_of_version(*version);
    self->state.worker->is_profile_unknown = false;
    return take_version(self, *version, "as its page says");
  }
  take_version(self, worker->table->version(),
               "as its messages say (its page: " + version.error().message
                   + ')');
}

void pass_on_heartbeat(SparkPeerSelf self, const spark::Heartbeat& x,
                       const std::string& frame) {
  auto* worker = find_worker(self, x.worker_id);
  if (worker == nullptr)
    return;
  Heartbeat heartbeat{worker->registration.id, worker->registration.worker};
  self->state.heartbeat->set(frame, {self->address(), heartbeat});
  self->send(self->state.services->master, std::move(heartbeat));
}

void report_state(SparkPeerSelf self, const spark::WorkerLatestState& x) {
  auto* worker = find_worker(self, x.id);
  if (worker == nullptr)
    return;
  auto report = to_report(x);
  report.question = worker->question;
  self->send(self->state.services->master, std::move(report));
}

void report_change(SparkPeerSelf self, const SparkAnswers& answers,
                   const spark::ExecutorStateChanged& x) {
  if (!self->state.worker) {
    log_refusal(self, "it tells of an executor, and is no worker");
    return answers.tell(false);
  }
  self->request(self->state.services->master, caf::infinite, to_change(x))
      .then([answers](bool known) { answers.tell(known); },
            [self, answers](const caf::error& e) {
              answers.fail(self->system().render(e));
            });
}

void report_change(SparkPeerSelf self, const spark::DriverStateChanged& x) {
  if (!self->state.worker)
    return log_refusal(self, "it tells of a driver, and is no worker");
  self->send(self->state.services->master, to_change(x));
}

void decommission(SparkPeerSelf self, const spark::WorkerDecommissioning& x) {
  if (const auto* worker = find_worker(self, x.id))
    self->send(self->state.services->master,
               WorkerDecommissioning{worker->registration.id,
                                     worker->registration.worker});
}

void leave_worker(SparkPeerSelf self) {
  self->state.heartbeat->forget();
  if (auto worker = std::exchange(self->state.worker, nullptr))
    self->state.services->present_peers->erase(worker->registration.worker);
}

// -- workers of the last leader -----------------------------------------------

namespace {

/// Where the worker finds this master, also after this connection.
spark::RpcAddress lasting_address(SparkPeerSelf self) {
  auto result = rpc_address(self->state.services->address);
  if (result.host == "0.0.0.0" || result.host == "::")
    result.host = self->state.connection->here().host;
  return result;
}

SparkWorkerProxy proxy_of(SparkPeerSelf self, const StoredWorker& x) {
  SparkWorkerProxy result;
  result.registration = to_registration(x);
  result.endpoint = worker_endpoint;
  result.address = {x.host, x.port};
  result.table = &spark::table_of_version(
      x.spark_versions.empty() ? "" : x.spark_versions.front());
  result.master = lasting_address(self);
  result.master_called = result.master;
  return result;
}

} // namespace

void call_back(SparkPeerSelf self, const SparkWorkerRecall& x) {
  auto worker = proxy_of(self, x.worker);
  self->state.connection->send(spark::one_way_frame(
      worker.master, worker.address, worker.endpoint,
      write(*worker.table,
            spark::MasterChanged{worker.master,
                                 self->state.services->pages_url->get()})));
}

void report_state(SparkPeerSelf self,
                  const spark::WorkerSchedulerStateResponse& x) {
  auto& state = self->state;
  auto call = std::exchange(state.recall, nullptr);
  auto* recall = call ? std::get_if<SparkWorkerRecall>(&*call) : nullptr;
  if (recall == nullptr || recall->worker.id.value != x.id)
    return log_refusal(self, "it was not asked what worker " + x.id + " runs");
  auto worker = proxy_of(self, recall->worker);
  spdlog::info("[spark-worker] {} follows this leader", shown(worker));
  // If it has come by itself meanwhile, this may be less than it runs: then it is asked
  // again.
  if (!state.services->present_peers->contains(worker.registration.worker))
    worker.report = to_report(x);
  become(self, std::move(worker));
  submit(self);
}

} // namespace stoker
