#include "network/lobby.hpp"

#include <algorithm>
#include <utility>

namespace stoker {

std::optional<Lobby::Ticket> Lobby::enter(const std::string& peer,
                                          Clock::time_point now,
                                          std::function<void()> close) {
  std::function<void()> close_another;
  std::unique_lock lock{mutex_};
  if (entries_.size() >= limits_.connections_max) {
    auto another = dispensable_for(peer, now);
    if (!another)
      return std::nullopt;
    close_another = std::move(entries_.at(*another).close);
    remove(*another);
  }
  auto ticket = ++last_;
  entries_.emplace(ticket, Entry{peer, now, std::move(close), {}, true});
  peers_[peer].all.insert(ticket);
  lock.unlock();
  if (close_another)
    close_another();
  return ticket;
}

void Lobby::ask_for_turn(Ticket x, std::function<void()> begin) {
  Calls calls;
  {
    std::lock_guard guard{mutex_};
    auto found = entries_.find(x);
    if (found == entries_.end())
      return;
    found->second.begin = std::move(begin);
    found->second.is_idle = false;
    peers_.at(found->second.peer).waiting.push_back(x);
    begin_next(calls);
  }
  call_all(calls);
}

void Lobby::end_turn(Ticket x) {
  Calls calls;
  {
    std::lock_guard guard{mutex_};
    if (auto found = entries_.find(x); found != entries_.end())
      found->second.is_idle = true;
    release_turn(x);
    begin_next(calls);
  }
  call_all(calls);
}

void Lobby::prove(Ticket x) {
  Calls calls;
  {
    std::lock_guard guard{mutex_};
    release_turn(x);
    remove(x);
    begin_next(calls);
  }
  call_all(calls);
}

void Lobby::leave(Ticket x) {
  std::lock_guard guard{mutex_};
  remove(x);
}

std::size_t Lobby::count_of(const std::string& peer) const {
  std::lock_guard guard{mutex_};
  auto found = peers_.find(peer);
  return found == peers_.end() ? 0 : found->second.all.size();
}

std::optional<Lobby::Ticket>
Lobby::dispensable_for(const std::string& newcomer,
                       Clock::time_point now) const {
  const auto& largest = std::ranges::max_element(peers_, {}, [](const auto& x) {
                          return x.second.all.size();
                        })->second;
  auto most = largest.all.size();
  for (const auto& [ticket, x] : entries_)
    if (x.is_idle && now - x.entered >= limits_.turn_time
        && peers_.at(x.peer).all.size() == most)
      return ticket;
  // The newest of the largest peer, which may be the newcomer.
  auto own = peers_.find(newcomer);
  auto own_count = own == peers_.end() ? 0 : own->second.all.size();
  return most > own_count + 1 ? std::optional{*largest.all.rbegin()}
                              : std::nullopt;
}

void Lobby::remove(Ticket x) {
  auto found = entries_.find(x);
  if (found == entries_.end())
    return;
  auto name = found->second.peer;
  auto& peer = peers_.at(name);
  peer.all.erase(x);
  std::erase(peer.waiting, x);
  entries_.erase(found);
  forget_if_empty(name);
}

void Lobby::release_turn(Ticket x) {
  auto found = turns_.find(x);
  if (found == turns_.end())
    return;
  auto name = std::move(found->second);
  turns_.erase(found);
  --peers_.at(name).turns;
  forget_if_empty(name);
}

void Lobby::begin_next(Calls& out) {
  while (turns_.size() < limits_.turns_max) {
    auto next = peers_.end();
    for (auto i = peers_.begin(); i != peers_.end(); ++i)
      if (!i->second.waiting.empty() && i->second.turns < limits_.turns_each_max
          && (next == peers_.end() || i->second.turns < next->second.turns))
        next = i;
    if (next == peers_.end())
      return;
    auto ticket = next->second.waiting.front();
    next->second.waiting.pop_front();
    ++next->second.turns;
    turns_.emplace(ticket, next->first);
    out.push_back(std::exchange(entries_.at(ticket).begin, {}));
  }
}

void Lobby::forget_if_empty(const std::string& peer) {
  auto found = peers_.find(peer);
  if (found != peers_.end() && found->second.all.empty()
      && found->second.turns == 0)
    peers_.erase(found);
}

void Lobby::call_all(const Calls& calls) {
  for (const auto& call : calls)
    call();
}

} // namespace stoker
