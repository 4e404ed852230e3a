#include "embedding/application_run.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "actors/allocation_manager.hpp"
#include "embedding/actor_failure.hpp"
#include "embedding/app_client_inbox.hpp"
#include "embedding/executor_inputs.hpp"
#include "embedding/executor_outputs.hpp"
#include "embedding/last_words.hpp"
#include "network/new_endpoint.hpp"
#include "scheduling/application/run_progress.hpp"
#include "scheduling/common/format.hpp"
#include "scheduling/common/instance_end.hpp"
#include "scheduling/common/instance_input.hpp"

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
                                description.instances.value());
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

std::function<void(const std::string&)>
end_with(const std::shared_ptr<AppClientInbox>& inbox) {
  return [put = AppClientInbox::sink_of(inbox)](const std::string& why) {
    put(ApplicationDead{EndReason::removed, why});
  };
}

} // namespace

class ApplicationRun::Impl {
public:
  Impl(ActorNetwork& network, ConnectorActor connector,
       ApplicationDescription description, RegistrationConfig registration,
       RunObserver& observer,
       const std::optional<AllocationSettings>& allocation,
       std::shared_ptr<SeekableInput> input)
      : observer_(observer), instances_(description.instances.value()),
        progress_(instances_), self_(network.system()),
        inbox_(std::make_shared<AppClientInbox>()),
        manager_(spawn_manager(network, description, allocation)),
        client_(network.system().spawn(
            app_client,
            AppClientConfig{with_output(description),
                            new_endpoint("app-client"), registration},
            std::move(connector), news_to(inbox_, manager_))),
        outputs_(network, client_, AppClientInbox::output_sink_of(inbox_),
                 end_with(inbox_), description.reads_output == false) {
    if (input)
      inputs_.emplace(network, client_, std::move(input),
                      AppClientInbox::failure_sink_of(inbox_));
    // Nobody would bring news any more.
    watch(network, client_, "the application's actor");
    if (manager_) {
      watch(network, manager_, "the allocation manager");
      caf::anon_send(manager_, client_, TaskSchedulerActor{});
    }
  }

  ~Impl() {
    if (manager_)
      caf::anon_send_exit(manager_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
  }

  RunOutcome wait(const std::atomic<bool>& interrupted) {
    while (!is_over()) {
      take_in(interrupted);
      listen();
      tell_complete();
      observer_.progress(counts());
    }
    return outcome();
  }

  void fail(const std::string& why) {
    cannot_write_ = true;
    if (!failure_)
      failure_ = why;
  }

private:
  [[nodiscard]] bool is_over() const {
    if (cannot_write_ || last_words_.are_cut_off(LastWords::Clock::now()))
      return true;
    if (!progress_.over())
      return interrupted_ || failure_;
    return outputs_.all_brought();
  }

  /// Takes what has come.
  void take_in(const std::atomic<bool>& interrupted) {
    auto content = inbox_->take(longest_pause);
    for (const auto& x : content.news)
      if (std::visit([this](const auto& y) { return this->note(y); }, x))
        tell(x);
    if (content.failure && !failure_)
      failure_ = content.failure;
    for (const auto& x : content.output) {
      hear(interrupted);
      if (cannot_write_ || last_words_.are_cut_off(LastWords::Clock::now()))
        return;
      outputs_.deliver(x, progress_.index_of(x.exec_id), observer_);
      last_words_.heard(LastWords::Clock::now());
    }
    hear(interrupted);
  }

  void hear(const std::atomic<bool>& interrupted) {
    if (!interrupted)
      return;
    interrupted_ = true;
    last_words_.interrupt(LastWords::Clock::now());
  }

  /// Does not wait for instances any more that do not end, and say nothing.
  void listen() {
    if (!last_words_.are_over(LastWords::Clock::now())
        || std::exchange(has_given_up_, true))
      return;
    outputs_.give_up("it had not ended when the run did; 'stoker logs' shows "
                     "what it writes later");
  }

  /// The run ends if the actor fails.
  template <class Actor>
  void watch(ActorNetwork& network, const Actor& actor, const char* what) {
    on_failure(network.system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
               what, end_with(inbox_));
  }

  void tell(const ApplicationNews& x) {
    observer_.news(x);
    const auto* updated = std::get_if<ExecutorUpdated>(&x);
    if (updated == nullptr || !is_finished(updated->state)
        || instance_end(updated->state, updated->exit_status)
               == InstanceEnd::done)
      return;
    auto index = progress_.index_of(updated->id);
    auto why = updated->message.value_or(to_string(updated->state));
    observer_.failed(index, why);
    if (first_failure_.empty() && progress_.has_failed(index))
      first_failure_ = "instance " + std::to_string(index) + ": " + why;
  }

  /// Tells the observer which instances have nothing more to say.
  void tell_complete() {
    while (complete_ < progress_.count() && progress_.is_over(complete_)
           && std::none_of(outputs_.open().begin(), outputs_.open().end(),
                           [this](int exec_id) {
                             return progress_.index_of(exec_id) == complete_;
                           }))
      observer_.output_complete(complete_++);
  }

  [[nodiscard]] RunCounts counts() const {
    RunCounts result;
    result.count = progress_.count();
    result.done = progress_.done();
    result.gave_up = progress_.failed();
    result.running = progress_.running();
    result.over = progress_.over();
    result.failed = progress_.end().has_value();
    return result;
  }

  // Each returns whether it was news.

  bool note(const ApplicationConnected& x) {
    outputs_.is_application(x.id);
    if (inputs_)
      inputs_->is_application(x.id);
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
    // What still ran is being ended, and may have something to say.
    outputs_.application_is_over();
    last_words_.begin(LastWords::Clock::now());
    return true;
  }

  bool note(const ExecutorAdded& x) {
    if (!progress_.added(x))
      return false;
    outputs_.added(x);
    if (inputs_ && reads_input(instances_, progress_.index_of(x.id)))
      inputs_->added(x);
    return true;
  }

  bool note(const ExecutorUpdated& x) {
    auto was_lost = progress_.is_lost(x.id);
    if (!progress_.updated(x))
      return false;
    outputs_.updated(x, was_lost);
    if (inputs_)
      inputs_->updated(x, was_lost);
    return true;
  }

  static bool note(const WorkerRemoved&) {
    return true;
  }

  [[nodiscard]] std::string failures() const {
    return std::to_string(progress_.failed()) + " of "
           + format_count(progress_.count(), "instance")
           + " failed, the first: " + first_failure_;
  }

  RunOutcome outcome() {
    RunOutcome result;
    result.output_incomplete = outputs_.incomplete() || !outputs_.all_brought();
    result.exit_status = progress_.exit_status();
    if (const auto& end = progress_.end()) {
      result.reason = end->reason;
      result.error = end->message;
      return result;
    }
    if (interrupted_ && (!progress_.over() || !outputs_.all_brought())) {
      result.reason = EndReason::stopped;
    } else if (failure_ && !progress_.over()) {
      result.reason = EndReason::removed;
      result.exit_status = 1;
      result.error = *failure_;
    } else if (progress_.failed() > 0) {
      result.error = failures();
    }
    // Answered once the master has heard, so that this process may end.
    auto stopped = result.reason == EndReason::stopped;
    auto failure = stopped || result.error.empty()
                       ? std::nullopt
                       : std::optional{result.error};
    self_->request(client_, answer_timeout, StopAppClient{stopped, failure})
        .receive([&](bool left) { result.is_left_running = !left; },
                 [&](const caf::error&) { result.is_left_running = true; });
    return result;
  }

  RunObserver& observer_;
  Instances instances_;
  RunProgress progress_;

  /// Why it cannot go on: its input cannot be read or written, or its output not taken.
  std::optional<std::string> failure_;

  /// Its output cannot be taken any more.
  bool cannot_write_ = false;
  bool interrupted_ = false;
  bool has_given_up_ = false;
  LastWords last_words_;

  /// Of those that failed for good while the others went on.
  std::string first_failure_;
  caf::scoped_actor self_;
  std::shared_ptr<AppClientInbox> inbox_;

  /// Null: there is none.
  AllocationManagerActor manager_;
  AppClientActor client_;
  ExecutorOutputs outputs_;
  std::optional<ExecutorInputs> inputs_;

  /// How many instances, from the first on, have nothing more to say.
  int complete_ = 0;
};

ApplicationRun::ApplicationRun(
    ActorNetwork& network, ConnectorActor connector,
    ApplicationDescription description, RegistrationConfig registration,
    RunObserver& observer, const std::optional<AllocationSettings>& allocation,
    std::shared_ptr<SeekableInput> input)
    : impl_(std::make_unique<Impl>(network, std::move(connector),
                                   std::move(description), registration,
                                   observer, allocation, std::move(input))) {
}

ApplicationRun::~ApplicationRun() = default;

RunOutcome ApplicationRun::wait() {
  return impl_->wait(interrupted_);
}

void ApplicationRun::fail(const std::string& why) {
  impl_->fail(why);
}

} // namespace stoker
