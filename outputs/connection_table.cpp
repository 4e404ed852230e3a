#include "outputs/connection_table.hpp"

#include <utility>

namespace stoker {

using Phase = ConnectionTable::Entry::Phase;

ConnectionTable::Entries& ConnectionTable::list_of(const Entry& x) {
  switch (x.phase) {
  case Phase::unproven:
    return unproven_;
  case Phase::idle:
    return applications_[x.app].idle;
  case Phase::busy:
    return applications_[x.app].busy;
  case Phase::leaving:
    break;
  }
  return leaving_;
}

void ConnectionTable::move(Place x, Phase phase) {
  auto counts = [](Phase y) { return y == Phase::idle || y == Phase::busy; };
  auto& from = list_of(*x);
  proven_ += counts(phase);
  proven_ -= counts(x->phase);
  x->phase = phase;
  auto& to = list_of(*x);
  to.splice(to.end(), from, x);
}

bool ConnectionTable::close_first(Entries& entries) {
  if (entries.empty())
    return false;
  entries.front().close();
  move(entries.begin(), Phase::leaving);
  return true;
}

void ConnectionTable::close_all(Entries& entries) {
  while (close_first(entries)) {
  }
}

ConnectionTable::Place ConnectionTable::add(std::function<void()> close) {
  std::lock_guard lock{mutex_};
  if (unproven_.size() >= limits_.handshakes_max)
    close_first(unproven_);
  return unproven_.insert(unproven_.end(),
                          Entry{std::move(close), Phase::unproven, {}});
}

bool ConnectionTable::prove(Place x, const AppId& app) {
  std::lock_guard lock{mutex_};
  if (x->phase != Phase::unproven)
    return false;
  auto found = applications_.find(app);
  auto own = found != applications_.end() ? found->second.size() : 0;
  if ((own >= limits_.connections_per_application
       || proven_ >= limits_.connections_max)
      && (own == 0 || !close_first(found->second.idle)))
    return false;
  x->app = app;
  move(x, Phase::idle);
  return true;
}

void ConnectionTable::set_busy(Place x) {
  std::lock_guard lock{mutex_};
  if (x->phase == Phase::idle)
    move(x, Phase::busy);
}

void ConnectionTable::set_idle(Place x) {
  std::lock_guard lock{mutex_};
  if (x->phase == Phase::busy)
    move(x, Phase::idle);
}

void ConnectionTable::remove(Place x) {
  std::lock_guard lock{mutex_};
  auto app = x->app;
  if (x->phase != Phase::leaving)
    move(x, Phase::leaving);
  leaving_.erase(x);
  auto found = applications_.find(app);
  if (found != applications_.end() && found->second.size() == 0)
    applications_.erase(found);
}

void ConnectionTable::close(const AppId& app) {
  std::lock_guard lock{mutex_};
  auto found = applications_.find(app);
  if (found == applications_.end())
    return;
  close_all(found->second.idle);
  close_all(found->second.busy);
}

void ConnectionTable::close_all() {
  std::lock_guard lock{mutex_};
  close_all(unproven_);
  for (auto& [app, application] : applications_) {
    close_all(application.idle);
    close_all(application.busy);
  }
}

std::size_t ConnectionTable::size() const {
  std::lock_guard lock{mutex_};
  return unproven_.size() + proven_ + leaving_.size();
}

} // namespace stoker
