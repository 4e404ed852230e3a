#include "outputs/connection_table.hpp"

#include <utility>

namespace stoker {

ConnectionTable::Entries& ConnectionTable::list_of(const Entry& x) {
  if (x.phase == Entry::Phase::unproven)
    return unproven_;
  auto& application = applications_[x.app];
  return x.phase == Entry::Phase::idle ? application.idle : application.busy;
}

bool ConnectionTable::close_first(Entries& entries) {
  if (entries.empty())
    return false;
  entries.front().close();
  // Until it has left, the next one is the first.
  entries.splice(entries.end(), entries, entries.begin());
  return true;
}

ConnectionTable::Place ConnectionTable::add(std::function<void()> close) {
  std::lock_guard lock{mutex_};
  if (unproven_.size() >= limits_.handshakes_max)
    close_first(unproven_);
  return unproven_.insert(unproven_.end(),
                          Entry{std::move(close), Entry::Phase::unproven, {}});
}

bool ConnectionTable::prove(Place x, const AppId& app) {
  std::lock_guard lock{mutex_};
  auto& application = applications_[app];
  auto own = application.idle.size() + application.busy.size();
  if ((own >= limits_.connections_per_application
       || proven_ >= limits_.connections_max)
      && !close_first(application.idle)) {
    if (own == 0)
      applications_.erase(app);
    return false;
  }
  x->app = app;
  x->phase = Entry::Phase::idle;
  application.idle.splice(application.idle.end(), unproven_, x);
  ++proven_;
  return true;
}

void ConnectionTable::set_busy(Place x) {
  std::lock_guard lock{mutex_};
  auto& application = applications_[x->app];
  application.busy.splice(application.busy.end(), list_of(*x), x);
  x->phase = Entry::Phase::busy;
}

void ConnectionTable::set_idle(Place x) {
  std::lock_guard lock{mutex_};
  auto& application = applications_[x->app];
  application.idle.splice(application.idle.end(), list_of(*x), x);
  x->phase = Entry::Phase::idle;
}

void ConnectionTable::remove(Place x) {
  std::lock_guard lock{mutex_};
  if (x->phase == Entry::Phase::unproven) {
    unproven_.erase(x);
    return;
  }
  auto app = x->app;
  list_of(*x).erase(x);
  --proven_;
  const auto& application = applications_[app];
  if (application.idle.empty() && application.busy.empty())
    applications_.erase(app);
}

void ConnectionTable::close(const AppId& app) {
  std::lock_guard lock{mutex_};
  auto found = applications_.find(app);
  if (found == applications_.end())
    return;
  for (auto* entries : {&found->second.idle, &found->second.busy})
    for (const auto& x : *entries)
      x.close();
}

void ConnectionTable::close_all() {
  std::lock_guard lock{mutex_};
  for (const auto& x : unproven_)
    x.close();
  for (auto& [app, application] : applications_)
    for (auto* entries : {&application.idle, &application.busy})
      for (const auto& x : *entries)
        x.close();
}

std::size_t ConnectionTable::size() const {
  std::lock_guard lock{mutex_};
  return unproven_.size() + proven_;
}

} // namespace stoker
