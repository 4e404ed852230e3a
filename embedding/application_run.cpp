#include "embedding/application_run.hpp"

#include <set>
#include <utility>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "actors/allocation_manager.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/app_client_inbox.hpp"
#include "embedding/new_endpoint.hpp"
#include "embedding/output_collector.hpp"

namespace stoker {

namespace {

constexpr std::chrono::seconds answer_timeout{15};

/// How long to wait for news before the observer is called again.
constexpr std::chrono::milliseconds longest_pause{200};

ApplicationDescription with_output(ApplicationDescription x) {
  x.reads_output = x.reads_output.value_or(true);
  return x;
}

/// @returns Null, if there are no settings.
AllocationManagerActor
spawn_manager(ActorNetwork& network, const ApplicationDescription& description,
              const std::optional<AllocationSettings>& settings) {
  if (!settings)
    return {};
  return network.system().spawn(instance_allocation_manager, *settings,
                                description.instances.value().count);
}

/// All that the application hears, in order.
ApplicationNewsSink news_to(const std::shared_ptr<AppClientInbox>& inbox,
                            const AllocationManagerActor& manager) {
  auto put = AppClientInbox::sink_of(inbox);
  if (!manager)
    return put;
  return [put, manager_hears = news_sink(manager)](const ApplicationNews& x) {
    manager_hears(x);
    put(x);
  };
}

} // namespace

class ApplicationRun::Impl {
public:
  Impl(ActorNetwork& network, ConnectorActor connector,
       ApplicationDescription description, RegistrationConfig registration,
       RunObserver& observer,
       const std::optional<AllocationSettings>& allocation)
      : observer_(observer), may_drop_(description.reads_output == false),
        progress_(description.instances.value().count), self_(network.system()),
        inbox_(std::make_shared<AppClientInbox>()),
        manager_(spawn_manager(network, description, allocation)),
        client_(network.system().spawn(
            app_client,
            AppClientConfig{with_output(std::move(description)),
                            new_endpoint("app-client"), registration},
            std::move(connector), news_to(inbox_, manager_))),
        collector_(
            network.system().spawn(output_collector, client_,
                                   AppClientInbox::output_sink_of(inbox_))) {
    // Nobody would bring news any more.
    watch(network, client_, "the application's actor");
    on_failure(network.system(),
               caf::actor_cast<caf::strong_actor_ptr>(collector_),
               "the actor that brings the output",
               [put = AppClientInbox::sink_of(inbox_),
                failed = collector_failed_](const std::string& why) {
                 *failed = true;
                 put(ApplicationDead{EndReason::removed, why});
               });
    if (manager_) {
      watch(network, manager_, "the allocation manager");
      caf::anon_send(manager_, client_, TaskSchedulerActor{});
    }
  }

  ~Impl() {
    if (manager_)
      caf::anon_send_exit(manager_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(collector_, caf::exit_reason::user_shutdown);
  }

  RunOutcome wait(const std::atomic<bool>& interrupted) {
    auto all_brought = [this] { return open_.empty() || *collector_failed_; };
    while (!interrupted && !(progress_.over() && all_brought())) {
      auto content = inbox_->take(longest_pause);
      for (const auto& x : content.news)
        if (std::visit([this](const auto& y) { return this->note(y); }, x))
          observer_.news(x, progress_);
      for (const auto& x : content.output)
        if (!interrupted)
          note(x);
      observer_.progress(progress_);
    }
    return outcome(interrupted && !progress_.over());
  }

private:
  /// The run ends if the actor fails.
  template <class Actor>
  void watch(ActorNetwork& network, const Actor& actor, const char* what) {
    on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
               what,
               [put = AppClientInbox::sink_of(inbox_)](const std::string& why) {
                 put(ApplicationDead{EndReason::removed, why});
               });
  }

  // Each returns whether it was news.

  bool note(const ApplicationConnected& x) {
    self_->send(collector_, CollectFor{x.id});
    return true;
  }

  static bool note(const ApplicationLeaderChanged&) {
    return true;
  }

  static bool note(const ApplicationDisconnected&) {
    return true;
  }

  static bool note(const ApplicationSearches&) {
    return true;
  }

  bool note(const ApplicationDead& x) {
    progress_.dead(x);
    // Whatever still ran is being ended; its output is not waited for.
    self_->send(collector_, LeaveRunningExecutors{});
    return true;
  }

  bool note(const ExecutorAdded& x) {
    if (!progress_.added(x))
      return false;
    open_.insert(x.id);
    self_->send(collector_, CollectFrom{x.id, x.worker_id});
    return true;
  }

  bool note(const ExecutorUpdated& x) {
    auto was_lost = progress_.is_lost(x.id);
    if (!progress_.updated(x))
      return false;
    if (was_lost) {
      open_.insert(x.id);
      self_->send(collector_, CollectAgainFrom{x.id});
    }
    if (is_finished(x.state))
      self_->send(collector_, ExecutorHasEnded{x.id, x.state});
    return true;
  }

  static bool note(const WorkerRemoved&) {
    return true;
  }

  void note(const OutputNews& x) {
    auto index = progress_.index_of(x.exec_id);
    if (x.dropped > 0) {
      incomplete_ = incomplete_ || !may_drop_;
      observer_.output_dropped(index, x.standard_error, x.dropped);
    }
    if (!x.data.empty()) {
      observer_.output(index, x.standard_error, x.data);
      self_->send(collector_,
                  OutputConsumed{static_cast<std::int64_t>(x.data.size())});
    }
    if (x.problem)
      observer_.output_problem(index, *x.problem);
    if (!x.closed)
      return;
    if (auto i = open_.find(x.exec_id); i != open_.end())
      open_.erase(i);
    if (x.loss) {
      incomplete_ = true;
      observer_.output_problem(index, "its output is incomplete: " + *x.loss);
    }
  }

  RunOutcome outcome(bool interrupted) {
    RunOutcome result;
    result.output_incomplete = incomplete_;
    result.exit_status = progress_.exit_status();
    if (const auto& end = progress_.end()) {
      result.reason = end->reason;
      result.error = end->message;
      return result;
    }
    if (interrupted)
      result.reason = EndReason::stopped;
    // Answered once the master has heard, so that this process may end.
    self_->request(client_, answer_timeout, StopAppClient{interrupted})
        .receive([](bool) {}, [](const caf::error&) {});
    return result;
  }

  RunObserver& observer_;
  bool may_drop_;
  RunProgress progress_;
  caf::scoped_actor self_;
  std::shared_ptr<AppClientInbox> inbox_;

  /// Null: there is none.
  AllocationManagerActor manager_;
  AppClientActor client_;
  OutputCollectorActor collector_;

  /// Executors of which more output may come. One that was lost and found again
  /// is here twice until its loss has been dealt with.
  std::multiset<int> open_;
  bool incomplete_ = false;
  std::shared_ptr<std::atomic<bool>> collector_failed_
      = std::make_shared<std::atomic<bool>>(false);
};

ApplicationRun::ApplicationRun(
    ActorNetwork& network, ConnectorActor connector,
    ApplicationDescription description, RegistrationConfig registration,
    RunObserver& observer, const std::optional<AllocationSettings>& allocation)
    : impl_(std::make_unique<Impl>(network, std::move(connector),
                                   std::move(description), registration,
                                   observer, allocation)) {
}

ApplicationRun::~ApplicationRun() = default;

RunOutcome ApplicationRun::wait() {
  return impl_->wait(interrupted_);
}

} // namespace stoker
