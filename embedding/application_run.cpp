#include "embedding/application_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "embedding/actor_failure.hpp"
#include "embedding/app_client_inbox.hpp"
#include "embedding/output_collector.hpp"

namespace stoker {

namespace {

constexpr std::chrono::seconds answer_timeout{15};

/// How long to wait for news before output is looked for again.
constexpr std::chrono::milliseconds shortest_pause{20};
constexpr std::chrono::milliseconds longest_pause{200};

/// Different for each run, on all machines.
EndpointId new_endpoint() {
  std::random_device random;
  return EndpointId{"app-client-" + std::to_string(getpid()) + '-'
                    + std::to_string(random()) + '-'
                    + std::to_string(random())};
}

} // namespace

class ApplicationRun::Impl {
public:
  Impl(ActorNetwork& network, ConnectorActor connector,
       ApplicationDescription description, RegistrationConfig registration,
       RunObserver& observer)
      : observer_(observer), progress_(description.instances.value().count),
        self_(network.system()), inbox_(std::make_shared<AppClientInbox>()),
        client_(network.system().spawn(
            app_client,
            AppClientConfig{std::move(description), new_endpoint(),
                            registration},
            std::move(connector), AppClientInbox::sink_of(inbox_))),
        output_(
            self_, client_,
            [this](int exec_id, bool standard_error, std::string_view data) {
              observer_.output(progress_.index_of(exec_id), standard_error,
                               data);
            }) {
    // Nobody would bring news any more.
    on_failure(network.system(),
               caf::actor_cast<caf::strong_actor_ptr>(client_),
               "the application's actor",
               [put = AppClientInbox::sink_of(inbox_)](const std::string& why) {
                 put(ApplicationDead{EndReason::removed, why});
               });
  }

  ~Impl() {
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
  }

  RunOutcome wait(const std::atomic<bool>& interrupted) {
    auto pause = shortest_pause;
    while (!interrupted && !(progress_.over() && output_.done())) {
      auto news = inbox_->take(pause);
      for (const auto& x : news)
        if (std::visit([this](const auto& y) { return this->note(y); }, x))
          observer_.news(x, progress_);
      auto output = output_.collect(app_id_);
      if (progress_.end())
        // Whatever still ran is being ended; its output is not waited for.
        output_.leave_running();
      pause = next_pause(pause, !news.empty() || output);
      observer_.progress(progress_);
    }
    return outcome(interrupted && !progress_.over());
  }

private:
  /// How long to wait for news next.
  [[nodiscard]] std::chrono::milliseconds
  next_pause(std::chrono::milliseconds last, bool something_came) const {
    if (!something_came)
      return std::min(std::max(last, shortest_pause) * 2, longest_pause);
    // Nothing new is written after the end: bring the rest at full speed.
    return progress_.over() ? std::chrono::milliseconds{0} : shortest_pause;
  }

  // Each returns whether it was news.

  bool note(const ApplicationConnected& x) {
    app_id_ = x.id;
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
    return true;
  }

  bool note(const ExecutorAdded& x) {
    if (!progress_.added(x))
      return false;
    output_.started(x.id);
    return true;
  }

  bool note(const ExecutorUpdated& x) {
    if (!progress_.updated(x))
      return false;
    if (is_finished(x.state))
      output_.ended(x.id);
    return true;
  }

  static bool note(const WorkerRemoved&) {
    return true;
  }

  RunOutcome outcome(bool interrupted) {
    RunOutcome result;
    result.exit_status = progress_.exit_status();
    if (const auto& end = progress_.end()) {
      result.reason = end->reason;
      result.error = end->message;
      return result;
    }
    if (interrupted)
      result.reason = EndReason::stopped;
    // Answered once the master has heard, so that this process may end.
    self_->request(client_, answer_timeout, StopAppClient{})
        .receive([](bool) {}, [](const caf::error&) {});
    return result;
  }

  RunObserver& observer_;
  RunProgress progress_;
  caf::scoped_actor self_;
  AppId app_id_;
  std::shared_ptr<AppClientInbox> inbox_;
  AppClientActor client_;
  OutputCollector output_;
};

ApplicationRun::ApplicationRun(ActorNetwork& network, ConnectorActor connector,
                               ApplicationDescription description,
                               RegistrationConfig registration,
                               RunObserver& observer)
    : impl_(std::make_unique<Impl>(network, std::move(connector),
                                   std::move(description), registration,
                                   observer)) {
}

ApplicationRun::~ApplicationRun() = default;

RunOutcome ApplicationRun::wait() {
  return impl_->wait(interrupted_);
}

} // namespace stoker
