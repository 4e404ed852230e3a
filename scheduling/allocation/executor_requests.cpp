#include "scheduling/allocation/executor_requests.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace stoker {

ExecutorRequests::ExecutorRequests(const ExecutorRequestsConfig& config,
                                   int total)
    : config_(config), total_(total), failures_(config.failures_validity) {
  assert(total >= 0 && config.slots > 0);
  follow_wish();
}

// -- what is wanted -----------------------------------------------------------

bool ExecutorRequests::request_total(int total,
                                     std::optional<LocalityHints> local,
                                     std::optional<int> gang) {
  assert(total >= 0);
  auto changed = std::exchange(total_, total) != total;
  // Who has never had a gang need not say so.
  auto regrouped = gang && *gang != gang_.value_or(1);
  if (regrouped)
    gang_ = gang;
  auto moved = local && local != local_;
  if (moved)
    local_ = std::move(local);
  if (changed || moved || regrouped)
    sent_ = acknowledged_ = false;
  follow_wish();
  return changed;
}

void ExecutorRequests::update_requests() {
  // What runs beyond the wish is no reason to ask for less than nothing.
  pending_ = std::max(0, total_ - running_);
}

void ExecutorRequests::follow_wish() {
  if (!config_.as_yarn)
    update_requests();
}

ExecutorRequests::Kill
ExecutorRequests::kill(const std::vector<int>& exec_ids) {
  Kill result;
  for (auto exec_id : exec_ids) {
    auto found = executors_.find(exec_id);
    if (found == executors_.end()) {
      result.unknown.push_back(exec_id);
    } else if (found->second.released) {
      result.released_before.push_back(exec_id);
    } else {
      release(found->second);
      result.released.push_back(exec_id);
    }
  }
  follow_wish();
  return result;
}

void ExecutorRequests::release(Executor& x) {
  assert(!x.released);
  x.released = true;
  --running_;
}

// -- what the master says -----------------------------------------------------

ExecutorRequests::Grant ExecutorRequests::granted(int exec_id,
                                                  const std::string& host) {
  if (auto found = executors_.find(exec_id); found != executors_.end()) {
    found->second.named = true;
    return Grant::known;
  }
  if (is_over(exec_id))
    return Grant::known;
  Executor x;
  x.host = host;
  auto was_asked_for = pending_ > 0;
  if (was_asked_for)
    --pending_;
  if (config_.gives_none_back || (was_asked_for && running_ < total_)) {
    ++running_;
    executors_.emplace(exec_id, std::move(x));
    return Grant::runs;
  }
  if (was_asked_for && config_.as_yarn)
    return Grant::left_alone;
  x.released = true;
  x.has_run = false;
  executors_.emplace(exec_id, std::move(x));
  follow_wish();
  return Grant::given_back;
}

ExecutorRequests::End ExecutorRequests::ended(Instant now, int exec_id,
                                              bool is_failure) {
  auto found = executors_.find(exec_id);
  auto is_known = found != executors_.end();
  auto was_told = is_known && found->second.released;
  if (is_known)
    end(found);
  else if (!config_.as_yarn)
    // One of which nobody knew is over all the same: it must not come later.
    note_over(exec_id);
  if (was_told)
    return End::expected;
  if (is_failure && !shuts_down_ && (is_known || config_.as_yarn))
    failures_.add(now);
  if (!is_known)
    return End::unknown;
  ++unexpected_ends_;
  return End::unexpected;
}

void ExecutorRequests::end(std::map<int, Executor>::iterator i) {
  if (!i->second.released)
    --running_;
  note_over(i->first);
  executors_.erase(i);
  follow_wish();
}

bool ExecutorRequests::is_over(int exec_id) const {
  return exec_id < over_below_ || over_.contains(exec_id);
}

void ExecutorRequests::note_over(int exec_id) {
  if (is_over(exec_id))
    return;
  over_.insert(exec_id);
  while (over_.erase(over_below_) == 1)
    ++over_below_;
}

// -- the leader ---------------------------------------------------------------

bool ExecutorRequests::leader_is(LeaderEpoch epoch) {
  if (epoch < epoch_)
    return false;
  epoch_ = epoch;
  has_leader_ = true;
  list_is_open_ = true;
  sent_ = acknowledged_ = false;
  for (auto& [exec_id, x] : executors_)
    x.named = x.kill_sent = false;
  return true;
}

std::vector<int> ExecutorRequests::list_is_complete(LeaderEpoch epoch) {
  std::vector<int> result;
  if (epoch != epoch_ || !std::exchange(list_is_open_, false))
    return result;
  for (auto i = executors_.begin(); i != executors_.end();) {
    auto next = std::next(i);
    if (!i->second.named) {
      if (!i->second.released) {
        ++unexpected_ends_;
        result.push_back(i->first);
      }
      end(i);
    }
    i = next;
  }
  return result;
}

// -- what is to be sent -------------------------------------------------------

std::optional<ExecutorRequests::Request> ExecutorRequests::take_request() {
  if (!has_leader_ || std::exchange(sent_, true))
    return std::nullopt;
  Request result;
  result.number = ++requests_;
  result.epoch = epoch_;
  result.total = total_;
  result.gang = gang_;
  if (local_) {
    auto hosts = running_on_hosts();
    auto further = further_on_hosts(*local_, config_.slots, hosts, pending_);
    // Others are of no interest to the master.
    std::erase_if(hosts, [&](const auto& x) {
      return !local_->by_host.contains(x.first);
    });
    for (const auto& [host, count] : further)
      hosts[host] += count;
    result.hosts = std::move(hosts);
  }
  return result;
}

bool ExecutorRequests::request_answered(const Request& request, bool accepted) {
  if (request.number != requests_ || !sent_)
    return false;
  sent_ = acknowledged_ = accepted;
  return true;
}

std::optional<ExecutorRequests::Kills> ExecutorRequests::take_kills() {
  if (!has_leader_)
    return std::nullopt;
  Kills result{epoch_, {}};
  for (auto& [exec_id, x] : executors_)
    if (x.released && !std::exchange(x.kill_sent, true))
      result.exec_ids.push_back(exec_id);
  if (result.exec_ids.empty())
    return std::nullopt;
  return result;
}

bool ExecutorRequests::kills_answered(const Kills& kills, bool accepted) {
  if (kills.epoch != epoch_)
    return false;
  if (accepted)
    return true;
  for (auto exec_id : kills.exec_ids) {
    auto found = executors_.find(exec_id);
    // It may have ended meanwhile, or a new connection has it to be sent again.
    if (found == executors_.end() || !found->second.kill_sent)
      continue;
    auto& x = found->second;
    x.kill_sent = false;
    if (!x.has_run)
      continue;
    x.released = false;
    ++running_;
  }
  follow_wish();
  return true;
}

// -- figures ------------------------------------------------------------------

std::map<std::string, int> ExecutorRequests::running_on_hosts() const {
  std::map<std::string, int> result;
  for (const auto& [exec_id, x] : executors_)
    if (!x.released)
      ++result[x.host];
  return result;
}

std::optional<std::string> ExecutorRequests::invariant_violation() const {
  auto running = 0;
  for (const auto& [exec_id, x] : executors_) {
    running += x.released ? 0 : 1;
    if (!x.released && (!x.has_run || x.kill_sent))
      return "executor " + std::to_string(exec_id)
             + " runs, and is given back or told to end";
    if (is_over(exec_id))
      return "executor " + std::to_string(exec_id) + " is over and is here";
  }
  if (running != running_)
    return "the number of running executors is wrong";
  if (pending_ < 0)
    return "fewer than no executors are pending";
  if (!config_.as_yarn && pending_ + running_ != std::max(total_, running_))
    return "what is pending does not follow the wish";
  if (acknowledged_ && !sent_)
    return "a request is acknowledged that was not sent";
  if (over_.contains(over_below_))
    return "the numbers of those that are over are not as short as can be";
  return std::nullopt;
}

bool is_failure(const ExecutorUpdated& x) {
  return x.state == ExecutorState::FAILED
         || (x.state == ExecutorState::EXITED && x.exit_status != 0);
}

} // namespace stoker
