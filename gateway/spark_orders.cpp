#include "gateway/spark_orders.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "gateway/program_path.hpp"
#include "scheduling/common/host_name.hpp"
#include "spark/worker_messages.hpp"

namespace stoker {

namespace {

std::int32_t narrow(std::int64_t x) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x, 0, std::numeric_limits<std::int32_t>::max()));
}

std::string url_of(const spark::RpcAddress& x) {
  return "spark://" + bracketed(x.host) + ':' + std::to_string(x.port);
}

spark::Command to_command(const Command& x) {
  spark::Command result;
  result.arguments = x.arguments;
  result.environment = x.environment;
  if (!x.spark)
    return result;
  result.main_class = x.spark->main_class;
  result.class_path_entries = x.spark->class_path_entries;
  result.library_path_entries = x.spark->library_path_entries;
  result.java_opts = x.spark->java_options;
  return result;
}

spark::LaunchExecutor to_order(const SparkWorkerProxy& worker,
                               const LaunchExecutor& x) {
  const auto& app = x.app_desc;
  spark::LaunchExecutor result;
  result.without_profile = worker.is_profile_unknown;
  result.master_url = url_of(worker.master);
  result.app_id = x.app_id.value;
  result.exec_id = x.exec_id;
  result.cores = x.cores;
  result.memory_mb = narrow(x.memory_mb);
  result.resources = x.resources;
  result.app.name = app.name;
  result.app.user = app.user;
  result.app.max_cores = app.max_cores;
  result.app.command = to_command(app.command);
  if (app.spark_driver)
    result.app.app_ui_url = app.spark_driver->ui_url;
  auto& has = result.app.default_profile.executor_resources;
  has["memory"] = x.memory_mb;
  if (app.cores_per_executor)
    has["cores"] = x.cores;
  for (const auto& [name, addresses] : x.resources)
    has[name] = static_cast<std::int64_t>(addresses.size());
  return result;
}

/// The jar, which stands behind the worker's URL among the arguments of Spark's
/// DriverWrapper: a worker copies it before it starts the driver.
std::string jar_of(const Command& x) {
  constexpr std::size_t jar_position = 1;
  return x.arguments.size() > jar_position
             ? program_url(x.arguments[jar_position])
             : std::string{};
}

spark::LaunchDriver to_order(const LaunchDriver& x) {
  const auto& driver = x.driver_desc;
  spark::LaunchDriver result;
  result.driver_id = x.driver_id.value;
  result.resources = x.resources;
  result.driver.jar_url = jar_of(driver.command);
  result.driver.memory_mb = narrow(driver.memory_mb);
  result.driver.cores = driver.cores;
  result.driver.supervise = driver.supervise;
  result.driver.command = to_command(driver.command);
  if (!driver.user.empty())
    result.driver.command.environment[spark_user_variable] = driver.user;
  // The last one counts: a driver that submits this one may have named itself before.
  result.driver.command.java_opts.push_back(driver_id_option(x.driver_id));
  for (const auto& [name, amount] : driver.resources)
    result.driver.resources.push_back({name, amount, 1});
  return result;
}

template <class Order>
std::string frame_of(const SparkWorkerProxy& worker, const Order& x) {
  return spark::one_way_frame(worker.master, worker.address, worker.endpoint,
                              write(*worker.table, x));
}

template <class Order>
void tell(SparkPeerSelf self, const Order& x) {
  if (const auto& worker = self->state.worker)
    self->state.connection->send(frame_of(*worker, x));
}

/// The master asks what the worker runs.
void answer(SparkPeerSelf self, const std::optional<StateQuestion>& question,
            bool duplicate) {
  auto& worker = self->state.worker;
  if (!worker)
    return;
  worker->is_admitted = true;
  worker->question = question;
  if (auto report = std::exchange(worker->report, std::nullopt)) {
    report->question = question;
    return self->send(self->state.services->master, *std::move(report));
  }
  // It then says what it runs.
  tell(self, spark::RegisteredWorker{worker->master,
                                     self->state.services->pages_url->get(),
                                     worker->master_called, duplicate});
}

} // namespace

std::string order_frame(const SparkWorkerProxy& worker,
                        const RegisterWorkerFailed& x) {
  return frame_of(worker, spark::RegisterWorkerFailed{x.message});
}

void pass_on(SparkPeerSelf self, const RegisteredWorker& x) {
  answer(self, x.question, x.duplicate);
}

void pass_on(SparkPeerSelf self, const MasterChanged& x) {
  answer(self, x.question, true);
}

void pass_on(SparkPeerSelf self, const RegisterWorkerFailed& x) {
  tell(self, spark::RegisterWorkerFailed{x.message});
}

void pass_on(SparkPeerSelf self, const MasterInStandby&) {
  const auto& worker = self->state.worker;
  // One that is registered would go on believing in this master.
  if (worker && worker->is_admitted)
    self->state.connection->close("this master does not lead any more");
  else
    tell(self, spark::MasterInStandby{});
}

void pass_on(SparkPeerSelf self, const ReconnectWorker&) {
  if (const auto& worker = self->state.worker)
    tell(self, spark::ReconnectWorker{url_of(worker->master)});
}

void pass_on(SparkPeerSelf self, const DecommissionWorker&) {
  tell(self, spark::DecommissionWorker{});
}

void pass_on(SparkPeerSelf self, const LaunchExecutor& x) {
  if (const auto& worker = self->state.worker)
    tell(self, to_order(*worker, x));
}

void pass_on(SparkPeerSelf self, const KillExecutor& x) {
  if (const auto& worker = self->state.worker)
    tell(self, spark::KillExecutor{url_of(worker->master), x.app_id.value,
                                   x.exec_id});
}

void pass_on(SparkPeerSelf self, const ApplicationFinished& x) {
  tell(self, spark::ApplicationFinished{x.id.value});
}

void pass_on(SparkPeerSelf self, const LaunchDriver& x) {
  tell(self, to_order(x));
}

void pass_on(SparkPeerSelf self, const KillDriver& x) {
  tell(self, spark::KillDriver{x.driver_id.value});
}

std::string why_no_output(SparkPeerSelf self) {
  const auto& worker = self->state.worker;
  auto result = "the worker is one of Spark's own: it keeps what programs "
                "write in its work directory";
  if (!worker || worker->page_url.empty())
    return result;
  return std::string{result} + ", and shows it at " + worker->page_url;
}

} // namespace stoker
