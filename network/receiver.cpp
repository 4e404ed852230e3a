#include "network/receiver.hpp"

#include <string>
#include <utility>

#include <caf/actor_cast.hpp>
#include <caf/actor_companion.hpp>
#include <caf/actor_system.hpp>
#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>

namespace stoker {

namespace {

caf::actor_companion& companion_of(const caf::actor& x) {
  return *caf::actor_cast<caf::actor_companion*>(x);
}

} // namespace

Receiver::Receiver(const caf::strong_actor_ptr& actor)
    : id_(actor->id()), actor_(caf::actor_cast<caf::weak_actor_ptr>(actor)),
      companion_(actor->home_system->spawn<caf::actor_companion>()) {
  companion_of(companion_)
      .on_enqueue(
          [this](const caf::mailbox_element_ptr& x) { answered(x->mid); });
}

Receiver::~Receiver() {
  close();
}

void Receiver::when_caught_up(std::function<void()> then) {
  std::unique_lock lock{mutex_};
  auto actor = actor_.lock();
  auto companion = caf::actor_cast<caf::strong_actor_ptr>(companion_);
  if (!actor || !companion) {
    lock.unlock();
    return then();
  }
  auto number = ++last_question_;
  waiting_.emplace(number, std::move(then));
  lock.unlock();
  // Every actor answers this by itself, in its turn. For one that has ended CAF answers
  // in here.
  actor->enqueue(
      caf::make_mailbox_element(
          std::move(companion), caf::message_id{number}.with_normal_priority(),
          {}, caf::sys_atom::value, caf::get_atom::value, std::string{"info"}),
      nullptr);
}

void Receiver::answered(caf::message_id id) {
  std::unique_lock lock{mutex_};
  auto found = waiting_.extract(id.request_id().integer_value());
  lock.unlock();
  if (found)
    found.mapped()();
}

void Receiver::close() {
  caf::actor companion;
  {
    std::lock_guard guard{mutex_};
    std::swap(companion, companion_);
  }
  if (companion) {
    auto& x = companion_of(companion);
    // Waits for an answer that is just being taken.
    x.on_enqueue({});
    x.cleanup(caf::exit_reason::normal, nullptr);
  }
  std::lock_guard guard{mutex_};
  waiting_.clear();
}

} // namespace stoker
