// Step, commit, then send.

#include <utility>

#include <caf/actor_cast.hpp>

#include <spdlog/spdlog.h>

#include "actors/master_steps.hpp"

namespace stoker {

namespace {

using Self = MasterSelf;

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

/// To whom a message goes, as far as the compiler has to know: MasterChanged goes
/// to workers too, and MasterInStandby to applications.
template <class Message>
using Peer = std::conditional_t<
    is_one_of<Message, RegisteredApplication, ApplicationRemoved, WorkerRemoved,
              ExecutorAdded, ExecutorUpdated, MasterChanged>,
    AppClientActor, WorkerActor>;

template <class Message>
void deliver(Self self, const caf::strong_actor_ptr& peer, const Message& x) {
  self->send(caf::actor_cast<Peer<Message>>(peer), self->state.cluster->epoch(),
             x);
}

void deliver(Self self, const caf::strong_actor_ptr& peer,
             const MasterMessage& x) {
  std::visit([&](const auto& message) { deliver(self, peer, message); }, x);
}

/// Says what has been decided. All that leaves this actor leaves it here.
void send_all(Self self, const Outbox& x) {
  for (const auto& message : x.messages)
    std::visit([&](const auto& y) { deliver(self, message.to, y); },
               message.what);
  if (x.answer)
    x.answer(caf::none);
}

/// Commits what was gathered, if anything and if nothing is under way.
void commit(Self self) {
  auto changes = self->state.queue.begin();
  if (!changes)
    return;
  auto term = self->state.term;
  self->request(self->state.services.journal, caf::infinite,
                CommitChanges{std::move(*changes)})
      .then(
          [self, term](const JournalAnswer& x) {
            auto& state = self->state;
            if (term != state.term)
              return;
            if (!x.status)
              return stand_by(self, x.status.error().message);
            auto said = state.queue.committed();
            // While the journal works on, so does this thread.
            commit(self);
            for (const auto& outbox : said)
              send_all(self, outbox);
          },
          [self, term](const caf::error& e) {
            if (term == self->state.term)
              stand_by(self, self->system().render(e));
          });
}

} // namespace

void say(Self self, Changes changes, Outbox outbox) {
  // With nobody to store it, all is as durable as it will ever be.
  if (!self->state.services.journal)
    return send_all(self, outbox);
  if (changes.empty() && outbox.empty())
    return;
  for (const auto& x :
       self->state.queue.push(std::move(changes), std::move(outbox)))
    send_all(self, x);
  commit(self);
}

void apply(Self self, const Event& event, const EndpointId& from,
           const AnswerMaker& answer) {
  auto& state = self->state;
  auto now = state.clock->now();
  auto before = state.cluster->status();
  auto result = state.cluster->step(now, event);
  if (auto status = state.cluster->status(); status != before)
    spdlog::info("{} at {}", to_string(status), state.config.master_url);
  const auto& log = state.services.log;
  const auto* made_with = std::holds_alternative<ElectedLeader>(event)
                              ? &state.cluster->config()
                              : nullptr;
  if (log && !log->append(now, from, event, result, made_with))
    spdlog::error("the message log cannot be written; it ends here");
  if (result.wake_at)
    self->scheduled_send(self, state.clock->at(*result.wake_at),
                         CheckForWorkerTimeOut{});
  std::optional<Answer> decided;
  for (auto& message : result.messages)
    if (auto* x = std::get_if<Reply>(&message))
      decided = std::move(x->answer);
  Outbox outbox{messages_of(*state.cluster, state.connections, result.messages),
                {}};
  if (answer)
    outbox.answer = answer(std::move(decided));
  say(self, std::move(result.changes), std::move(outbox));
}

caf::error not_alive() {
  return caf::make_error(
      Errc::not_alive, std::string{"the master is STANDBY: another one leads, "
                                   "or none"});
}

} // namespace stoker
