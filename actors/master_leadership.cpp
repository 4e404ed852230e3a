// A master's leaderships: how they begin and end.

#include <utility>

#include <caf/actor_cast.hpp>

#include <spdlog/spdlog.h>

#include "actors/master_steps.hpp"
#include "messages/json.hpp"

namespace stoker {

namespace {

using Self = MasterSelf;

/// Before a master that could not go on tries to lead again.
constexpr auto retry_pause = std::chrono::seconds{1};

/// A tenants file may have been changed since this master was started.
void read_tenants(Self self) {
  auto& state = self->state;
  if (!state.services.load_tenants)
    return;
  auto loaded = state.services.load_tenants();
  if (loaded)
    state.config.tenants = *std::move(loaded);
  else
    spdlog::warn("the tenants are as when this master started: {}",
                 loaded.error().message);
}

/// What the new leader decides otherwise than the last one did.
void tell_of_changes(const ClusterConfig& before, const ClusterConfig& now) {
  auto then = to_json(before);
  auto since = to_json(now);
  for (const auto& [name, value] : since.get_object()) {
    const auto* old = then.get_object().if_contains(name);
    if (name != "seed" && name != "master_url"
        && (old == nullptr || *old != value))
      spdlog::warn("{} is no longer as under the last leader",
                   std::string{name});
  }
}

void lead(Self self, Leadership x) {
  auto& state = self->state;
  state.cluster.emplace(state.config);
  const auto& stored = x.stored;
  if (stored.config)
    tell_of_changes(*stored.config, state.config);
  spdlog::info("leading with epoch {}: {} workers, {} applications and {} "
               "drivers are stored",
               x.epoch.value, stored.workers.size(), stored.applications.size(),
               stored.drivers.size());
  apply(self, ElectedLeader{x.epoch, std::move(x.stored)});
}

/// Leads, if the store lets it.
void open_journal(Self self) {
  auto& state = self->state;
  read_tenants(self);
  auto now_ms = to_ms(state.clock->now());
  if (!state.services.journal)
    return lead(self, {LeaderEpoch{static_cast<std::uint64_t>(now_ms)}, {}});
  auto term = state.term;
  self->request(state.services.journal, caf::infinite,
                OpenJournal{state.config.master_url, now_ms})
      .then(
          [self, term](JournalAnswer& x) {
            if (term != self->state.term)
              return;
            if (!x.status)
              return stand_by(self, x.status.error().message);
            self->state.told_of_failure = false;
            lead(self, std::move(x.leadership));
          },
          [self, term](const caf::error& e) {
            if (term == self->state.term)
              stand_by(self, self->system().render(e));
          });
}

} // namespace

void contend(Self self, std::chrono::milliseconds after) {
  const auto& election = self->state.services.election;
  if (!election)
    return open_journal(self);
  auto term = self->state.term;
  self->request(election, caf::infinite, Contend{after})
      .then([self, term, election](bool) {
        if (term != self->state.term)
          return;
        self->request(election, caf::infinite, AwaitRevocation{})
            .then([self, term](const std::string& why) {
              if (term == self->state.term)
                stand_by(self, why);
            });
        open_journal(self);
      });
}

void stand_by(Self self, const std::string& why) {
  auto& state = self->state;
  if (!std::exchange(state.told_of_failure, true))
    spdlog::error("STANDBY: {}", why);
  ++state.term;
  state.cluster.emplace(state.config);
  for (const auto& unsaid : state.queue.drop())
    if (unsaid.answer)
      unsaid.answer(not_alive());
  for (const auto& [endpoint, peer] : state.connections)
    self->send(caf::actor_cast<WorkerActor>(peer), LeaderEpoch{},
               MasterInStandby{});
  state.connections.clear();
  for (const auto& [address, endpoints] : std::exchange(state.endpoints, {})) {
    abandon_requests(self, address);
    self->demonitor(address);
  }
  self->send(state.services.election, Resign{});
  contend(self, retry_pause);
}

} // namespace stoker
