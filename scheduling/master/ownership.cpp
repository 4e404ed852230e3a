#include "scheduling/master/ownership.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "messages/printable.hpp"
#include "scheduling/common/host_name.hpp"
#include "scheduling/common/limits.hpp"

namespace stoker {

namespace {

constexpr std::size_t shown_characters_max = 200;

class MaySay {
public:
  MaySay(const ClusterState& state, const Speaker& who)
      : state_(state), who_(who) {
  }

  Status operator()(const RegisterWorker& x) const {
    if (auto allowed = is_own_host(x.host); !allowed)
      return allowed;
    if (auto allowed = is_not_too_many(x); !allowed)
      return allowed;
    if (auto allowed = is_own(x.id); !allowed)
      return allowed;
    if (auto allowed = is_own_worker(x.worker); !allowed)
      return allowed;
    return x.port == 0 ? Status{}
                       : is_own(state_.workers.find_by_address(x.host, x.port));
  }
  Status operator()(const Heartbeat& x) const {
    auto allowed = is_own_worker(x.worker);
    return allowed ? is_own(x.worker_id) : allowed;
  }
  Status operator()(const WorkerLatestState& x) const {
    return is_own(x.id);
  }
  Status operator()(const WorkerSchedulerStateResponse& x) const {
    return is_own(x.id);
  }
  Status operator()(const WorkerDecommissioning& x) const {
    return is_own(x.id);
  }
  Status operator()(const WorkerLeft& x) const {
    return is_own(x.id);
  }
  Status operator()(const ExecutorStateChanged& x) const {
    const auto& releases = state_.releases.all();
    if (auto i = releases.find({x.app_id, x.exec_id}); i != releases.end())
      return is_own(std::optional{i->second.worker});
    auto app = state_.applications.find(x.app_id);
    const auto* executor
        = app ? state_.applications.at(*app).executors.find(x.exec_id)
              : nullptr;
    return executor == nullptr ? Status{}
                               : is_own(std::optional{executor->worker});
  }
  Status operator()(const DriverStateChanged& x) const {
    auto driver = state_.drivers.find(x.driver_id);
    return driver ? is_own(state_.drivers.at(*driver).worker) : Status{};
  }

  Status operator()(const RegisterApplication& x) const {
    if (auto allowed = is_own(state_.applications.find_by_driver(x.driver));
        !allowed)
      return allowed;
    return x.app_id ? is_own(*x.app_id) : Status{};
  }
  Status operator()(const ApplicationHeartbeat& x) const {
    return is_own(state_.applications.find_by_driver(x.driver));
  }
  Status operator()(const UnregisterApplication& x) const {
    return is_own(x.app_id);
  }
  Status operator()(const MasterChangeAcknowledged& x) const {
    return is_own(x.app_id);
  }
  Status operator()(const RequestExecutors& x) const {
    return is_own(x.app_id);
  }
  Status operator()(const KillExecutors& x) const {
    return may_end(x.app_id);
  }
  Status operator()(const RequestKillApplication& x) const {
    return may_end(x.app_id);
  }
  Status operator()(const RequestKillDriver& x) const {
    auto key = state_.drivers.find(x.driver_id);
    if (!key)
      return {};
    const auto& driver = state_.drivers.at(*key).stored;
    return may_end(driver.id.value, driver.identity, driver.description.user);
  }
  Status operator()(const SetSparkVersion& x) const {
    return is_own(x.app_id);
  }

  [[nodiscard]] Status is_own(const AppId& id) const {
    return is_own(state_.applications.find(id));
  }
  [[nodiscard]] Status is_own(const WorkerId& id) const {
    return is_own(state_.workers.find(id));
  }

  /// What belongs to nobody: the role decides.
  template <class Other>
  Status operator()(const Other&) const {
    return {};
  }

private:
  /// A user ends what runs in his name, or what he has registered; an operator and a
  /// node, anybody's.
  [[nodiscard]] Status may_end(const std::string& what,
                               const std::string& identity,
                               const std::string& user) const {
    constexpr std::string_view role = "user ";
    std::string_view who = who_.identity;
    if (!who.starts_with(role) || who.substr(role.size()) == user)
      return {};
    return identity.empty() ? not_his(what, std::string{role} + user)
                            : is_own(what, identity);
  }
  [[nodiscard]] Status may_end(const AppId& id) const {
    auto key = state_.applications.find(id);
    if (!key)
      return {};
    const auto& app = state_.applications.at(*key).stored;
    return may_end(app.id.value, app.identity, app.description.user);
  }

  [[nodiscard]] Status is_own_host(const std::string& host) const {
    if (who_.hosts.empty()
        || std::ranges::any_of(
            who_.hosts, [&](const auto& x) { return covers_host(x, host); }))
      return {};
    std::string names;
    for (auto i = who_.hosts.begin(); i != who_.hosts.end(); ++i)
      // The common name is often an alternative name as well.
      if (std::find(who_.hosts.begin(), i, *i) == i)
        names += (names.empty() ? "" : ", ") + *i;
    auto shown = printable(shortened(host, shown_characters_max));
    return Error{Errc::not_allowed,
                 "the certificate of " + who_.identity + " is for "
                     + shortened(names, shown_characters_max)
                     + ", not for a worker at '" + shown
                     + "'; start the worker with --host and a name of its "
                       "certificate, or make one with 'stoker certs DIR --host "
                     + shown + "'"};
  }

  /// Limits what a stolen key can do.
  [[nodiscard]] Status is_not_too_many(const RegisterWorker& x) const {
    if (who_.hosts.empty() || is_there(x))
      return {};
    auto own = state_.workers.present_of(who_.identity);
    if (own < workers_of_certificate_max)
      return {};
    return Error{Errc::not_allowed,
                 who_.identity + " has " + std::to_string(own)
                     + " workers, as many as a certificate admits; make a "
                       "certificate for each machine with 'stoker certs'"};
  }

  /// Whether a worker registers again, or takes the place of the one at its address.
  [[nodiscard]] bool is_there(const RegisterWorker& x) const {
    if (state_.workers.find_present(x.id))
      return true;
    auto key = x.port == 0 ? std::nullopt
                           : state_.workers.find_by_address(x.host, x.port);
    return key && state_.workers.at(*key).stored.state != WorkerState::DEAD;
  }

  [[nodiscard]] Error not_his(const std::string& what,
                              const std::string& owner) const {
    return {Errc::not_allowed,
            what + " belongs to " + owner + ", and not to " + who_.identity};
  }
  [[nodiscard]] Status is_own(const std::string& what,
                              const std::string& owner) const {
    if (owner.empty() || owner == who_.identity)
      return {};
    return not_his(what, owner);
  }
  [[nodiscard]] Status is_own(std::optional<WorkerKey> key) const {
    if (!key || !state_.workers.contains(*key))
      return {};
    const auto& worker = state_.workers.at(*key).stored;
    // A lost one that is still shown is nobody's.
    return worker.state == WorkerState::DEAD
               ? Status{}
               : is_own(worker.id.value, worker.identity);
  }
  [[nodiscard]] Status is_own_worker(const EndpointId& endpoint) const {
    return is_own(state_.workers.find_by_endpoint(endpoint));
  }
  [[nodiscard]] Status is_own(std::optional<AppKey> key) const {
    if (!key)
      return {};
    const auto& app = state_.applications.at(*key).stored;
    return is_own(app.id.value, app.identity);
  }

  const ClusterState& state_;
  const Speaker& who_;
};

} // namespace

Status may_say(const ClusterState& state, const Event& what,
               const Speaker& who) {
  if (who.is_own)
    return {};
  // The master calls these drivers, and shows their pages.
  if (const auto* x = std::get_if<RegisterApplication>(&what);
      x != nullptr && x->description.spark_driver)
    return Error{Errc::not_allowed,
                 "an application has a driver of Spark's only if it registers "
                 "at Spark's port"};
  if (who.identity.empty())
    return {};
  return std::visit(MaySay{state, who}, what);
}

Status may_tell_of(const ClusterState& state, const AppId& app,
                   const Speaker& who) {
  if (!state.applications.find(app))
    return Error{Errc::not_found, to_string(app) + " is not known"};
  if (who.is_own || who.identity.empty())
    return {};
  return MaySay{state, who}.is_own(app);
}

Status may_speak_for(const ClusterState& state, const WorkerId& worker,
                     const Speaker& who) {
  if (who.is_own || who.identity.empty())
    return {};
  return MaySay{state, who}.is_own(worker);
}

void set_identity(Event& what, const Speaker& who) {
  if (auto* worker = std::get_if<RegisterWorker>(&what))
    worker->identity = who.identity;
  else if (auto* application = std::get_if<RegisterApplication>(&what))
    application->identity = who.identity;
  else if (auto* driver = std::get_if<RequestSubmitDriver>(&what))
    driver->identity = who.identity;
}

} // namespace stoker
