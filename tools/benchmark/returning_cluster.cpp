#include "tools/benchmark/returning_cluster.hpp"

#include <stdexcept>

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include "messages/caf_error.hpp"

namespace stoker::benchmark {

namespace {

/// Opens connections one after the other: a thread for each of some thousand
/// actors, as `network_connector` has it, would be a burden that no real process
/// has.
ConnectorActor::behavior_type
connector(ConnectorActor::pointer, ActorNetwork* network,
          const std::vector<MasterAddress>& masters) {
  return {
      [=](const ConnectToMaster& x) -> caf::result<caf::strong_actor_ptr> {
        auto master = network->connect<MasterActor>(masters.at(x.master));
        if (!master)
          return to_caf_error(master.error());
        return caf::actor_cast<caf::strong_actor_ptr>(*std::move(master));
      },
  };
}

/// Counts what an application learns. `told` is the last round of `apps_told` that
/// it takes no part in.
ApplicationNewsSink counter(std::shared_ptr<ReturnTally> tally,
                            std::shared_ptr<ReturningApp::Heard> heard,
                            RoundCounter::Round told) {
  return [tally = std::move(tally), heard = std::move(heard),
          told](const ApplicationNews& x) mutable {
    if (std::holds_alternative<ApplicationConnected>(x)) {
      heard->registered_at = BenchClock::now();
      tally->apps_told.add(told);
    } else if (std::holds_alternative<ExecutorAdded>(x)) {
      heard->executors.add();
    } else if (const auto* y = std::get_if<ExecutorUpdated>(&x)) {
      if (y->state == ExecutorState::EXITED)
        heard->done.add();
    }
  };
}

RegistrationConfig registration(std::size_t masters, int seed) {
  RegistrationConfig result;
  result.masters = masters;
  result.seed = static_cast<std::uint64_t>(seed);
  return result;
}

} // namespace

ReturningCluster::ReturningCluster(ActorNetwork& network,
                                   std::vector<MasterAddress> masters)
    : network_(network), masters_(std::move(masters)), self_(network.system()),
      connector_(network.system().spawn<caf::detached>(connector, &network,
                                                       masters_)) {
}

ReturningCluster::~ReturningCluster() {
  for (const auto& x : workers_)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  for (const auto& x : apps_)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  self_->monitor(connector_);
  caf::anon_send_exit(connector_, caf::exit_reason::user_shutdown);
  // It uses the network.
  self_->receive([](const caf::down_msg&) {});
}

void ReturningCluster::add_workers(int count, int cores,
                                   std::int64_t memory_mb) {
  tally_->workers_told.begin(count);
  for (int i = 0; i < count; ++i) {
    auto number = next_++;
    WorkerConfig config;
    config.host = "127.1." + std::to_string(number / 250) + '.'
                  + std::to_string(number % 250 + 1);
    config.id = WorkerId{"worker-20261121074600-" + config.host + "-7078"};
    config.endpoint = EndpointId{config.id.value};
    config.cores = cores;
    config.memory_mb = memory_mb;
    config.work_directory = "/nowhere";
    config.registration = registration(masters_.size(), number);
    workers_.push_back(
        network_.system().spawn(returning_worker, config, connector_, tally_));
  }
  tally_->workers_told.await();
}

ReturningApp ReturningCluster::add_app(const AppSize& size) {
  return spawn_app(size, tally_->apps_told.round());
}

ReturningApp ReturningCluster::spawn_app(const AppSize& size,
                                         RoundCounter::Round told) {
  auto number = next_++;
  AppClientConfig config;
  config.description = describe(size);
  config.endpoint = EndpointId{"driver-" + std::to_string(number)};
  config.registration = registration(masters_.size(), number);
  ReturningApp result;
  result.heard = std::make_shared<ReturningApp::Heard>();
  result.heard->executors.expect(size.executors);
  result.actor = network_.system().spawn(app_client, config, connector_,
                                         counter(tally_, result.heard, told));
  apps_.push_back(result.actor);
  return result;
}

void ReturningCluster::add_apps(int count, const AppSize& size) {
  auto before = tally_->apps_told.round();
  tally_->apps_told.begin(count);
  tally_->executors_running.expect(count * size.executors);
  for (int i = 0; i < count; ++i)
    (void)spawn_app(size, before);
  tally_->apps_told.await();
  tally_->executors_running.await();
}

ReturningApp ReturningCluster::run_instances(const AppSize& size) {
  auto result = spawn_app(size, tally_->apps_told.round());
  result.heard->done.expect(size.instances);
  result.heard->done.await();
  return result;
}

void ReturningCluster::leave(const ReturningApp& app) {
  constexpr std::chrono::seconds answer_limit{60};
  self_->request(app.actor, answer_limit, StopAppClient{})
      .receive([](bool) {},
               [&](const caf::error& e) {
                 throw std::runtime_error(network_.system().render(e));
               });
  std::erase(apps_, app.actor);
}

void ReturningCluster::expect_return() {
  tally_->workers_told.begin(static_cast<std::int64_t>(workers_.size()));
  tally_->apps_told.begin(static_cast<std::int64_t>(apps_.size()));
}

void ReturningCluster::drop_worker() {
  caf::anon_send_exit(workers_.back(), caf::exit_reason::kill);
  workers_.pop_back();
}

MasterStateResponse ReturningCluster::state(std::size_t master) {
  constexpr std::chrono::seconds answer_limit{60};
  auto fail = [&](const caf::error& e) {
    throw std::runtime_error(network_.system().render(e));
  };
  auto found = network_.connect<MasterActor>(masters_.at(master));
  if (!found)
    throw std::runtime_error(found.error().message);
  MasterStateResponse result;
  self_->request(*found, answer_limit, RequestMasterState{})
      .receive([&](MasterStateResponse& x) { result = std::move(x); }, fail);
  return result;
}

} // namespace stoker::benchmark
