#include "scheduling/application/output_progress.hpp"

#include <algorithm>
#include <utility>

#include "messages/output_texts.hpp"
#include "scheduling/common/wake_up.hpp"

namespace stoker {

namespace {

/// Executors that one request asks about.
constexpr int executors_max = 128;

/// Bytes that an answer may have, at least, at most.
constexpr std::int64_t answer_bytes_min = 64 * 1024;
constexpr std::int64_t answer_bytes_max = 1024 * 1024;

constexpr Duration first_retry_pause{100};
constexpr Duration longest_retry_pause{2000};

/// Returns what both outputs of an executor lost.
std::optional<std::string> loss_of(const std::optional<std::string>& out,
                                   const std::optional<std::string>& err) {
  if (out && err)
    return "stdout: " + *out + "; stderr: " + *err;
  return out ? out : err;
}

} // namespace

void OutputProgress::is_application(const AppId& id) {
  app_id_ = id;
}

void OutputProgress::started(int exec_id, const WorkerId& worker) {
  auto [i, added] = executors_.try_emplace(exec_id);
  if (!added)
    return;
  i->second.worker = worker;
  workers_[worker].executors.insert(exec_id);
  ask(worker);
}

void OutputProgress::ran(int exec_id) {
  if (auto i = executors_.find(exec_id); i != executors_.end())
    i->second.ran = true;
}

std::vector<OutputNews> OutputProgress::ended(int exec_id,
                                              ExecutorState state) {
  std::vector<OutputNews> news;
  auto i = executors_.find(exec_id);
  if (i == executors_.end())
    return news;
  // The amount that an executor wrote is lost with its worker.
  if (state == ExecutorState::LOST) {
    lost_[exec_id] = i->second;
    remember_unread(i->second.worker, exec_id);
    close(exec_id, std::nullopt, news);
  } else {
    i->second.end = state;
    i->second.ran = i->second.ran || state == ExecutorState::EXITED;
  }
  return news;
}

std::vector<OutputNews> OutputProgress::found_again(Instant now, int exec_id) {
  auto lost = lost_.extract(exec_id);
  if (lost.empty()) {
    // All that it wrote had come before.
    OutputNews closed;
    closed.exec_id = exec_id;
    closed.closed = true;
    return {closed};
  }
  lost.mapped().found_again = now;
  auto worker = lost.mapped().worker;
  executors_.insert(std::move(lost));
  workers_[worker].executors.insert(exec_id);
  workers_[worker].unread.erase(exec_id);
  ask(worker);
  return {};
}

void OutputProgress::application_is_over() {
  application_is_over_ = true;
  // The workers learn it from the master.
  for (auto& [id, worker] : workers_) {
    worker.unread.clear();
    ask(id);
  }
}

std::vector<OutputNews> OutputProgress::give_up(const std::string& why) {
  std::vector<OutputNews> news;
  while (!executors_.empty())
    close(executors_.begin()->first, why, news);
  return news;
}

void OutputProgress::remember_unread(const WorkerId& id, int exec_id) {
  if (application_is_over_)
    return;
  auto& worker = workers_[id];
  worker.unread[exec_id].reset();
  worker.back_since.reset();
}

// -- questions ----------------------------------------------------------------

std::vector<RequestOutput> OutputProgress::next_requests(Instant now,
                                                         std::int64_t room) {
  std::vector<Workers::value_type*> chosen;
  for (const auto& id : to_ask_)
    if (auto& x = *workers_.find(id); due_of(x.second).value_or(now) <= now)
      chosen.push_back(&x);
  auto left = std::count_if(chosen.begin(), chosen.end(), [](const auto* x) {
    return !x->second.executors.empty();
  });
  room -= bytes_asked_;
  std::vector<RequestOutput> result;
  for (auto* x : chosen) {
    std::int64_t limit = 0;
    if (!x->second.executors.empty()) {
      if (room < answer_bytes_min)
        continue;
      limit = std::clamp(room / left--, answer_bytes_min, answer_bytes_max);
    }
    room -= limit;
    bytes_asked_ += limit;
    x->second.asked = limit;
    to_ask_.erase(x->first);
    result.push_back(request_to(now, *x, limit));
  }
  return result;
}

RequestOutput OutputProgress::request_to(Instant now, Workers::value_type& x,
                                         std::int64_t limit) const {
  auto& [id, worker] = x;
  RequestOutput result;
  result.worker_id = id;
  result.limit = limit;
  result.wait_ms = wait.count();
  for (auto exec_id : worker.taken)
    result.taken.push_back({app_id_, exec_id});
  name_unread(now, worker, result);
  // All in turn: those at the end would starve if the first were always asked
  // for first.
  auto i = worker.executors.lower_bound(worker.next);
  auto count
      = std::min<std::ptrdiff_t>(std::ssize(worker.executors), executors_max);
  for (; count > 0; --count) {
    if (i == worker.executors.end())
      i = worker.executors.begin();
    const auto& executor = executors_.at(*i);
    for (auto standard_error : {false, true}) {
      const auto& stream = executor.streams[standard_error ? 1 : 0];
      if (!stream.complete)
        result.positions.push_back({ExecutorId{app_id_, *i}, std::nullopt, 0,
                                    standard_error, stream.offset});
    }
    worker.next = *i++ + 1;
  }
  // Others must not wait for these to write something.
  if (std::ssize(worker.executors) > executors_max)
    result.wait_ms = 0;
  return result;
}

/// Names each one several times: the worker forgets only those that have ended.
void OutputProgress::name_unread(Instant now, Worker& worker,
                                 RequestOutput& request) const {
  if (!worker.back_since || now - *worker.back_since < unread_after)
    return;
  auto i = worker.unread.lower_bound(worker.next_unread);
  auto count
      = std::min<std::ptrdiff_t>(std::ssize(worker.unread), executors_max);
  for (; count > 0; --count) {
    if (i == worker.unread.end())
      i = worker.unread.begin();
    request.taken.push_back({app_id_, i->first});
    worker.named.push_back(i->first);
    worker.next_unread = i++->first + 1;
  }
}

// -- answers ------------------------------------------------------------------

std::vector<OutputNews> OutputProgress::answered(Instant now,
                                                 const WorkerId& worker,
                                                 OutputResponse answer) {
  std::vector<OutputNews> news;
  auto i = workers_.find(worker);
  if (i == workers_.end())
    return news;
  bytes_asked_ -= std::exchange(i->second.asked, std::nullopt).value_or(0);
  i->second.not_before.reset();
  i->second.pause = {};
  i->second.taken.clear();
  heard_unread(now, i->second);
  for (auto& part : answer.parts)
    take(part, news);
  auto any = std::any_of(news.begin(), news.end(), [](const auto& x) {
    return !x.data.empty() || x.closed;
  });
  // It was not to wait, or does not know yet what it is to run.
  if (!any
      && (!answer.parts.empty()
          || std::ssize(i->second.executors) > executors_max))
    pause(now, i->second);
  ask(worker);
  return news;
}

/// A worker has answered: it is there, and knows what was named.
void OutputProgress::heard_unread(Instant now, Worker& worker) {
  for (auto exec_id : std::exchange(worker.named, {})) {
    auto i = worker.unread.find(exec_id);
    if (i == worker.unread.end())
      continue;
    if (!i->second)
      i->second = now;
    else if (now - *i->second >= unread_for)
      worker.unread.erase(i);
  }
  if (!worker.back_since)
    worker.back_since = now;
  worker.unread_pause = wait;
  worker.unread_due = now + wait;
}

void OutputProgress::take(OutputPart& part, std::vector<OutputNews>& news) {
  if (!part.position.executor)
    return;
  auto exec_id = part.position.executor->exec_id;
  auto i = executors_.find(exec_id);
  if (i == executors_.end())
    return;
  auto& executor = i->second;
  auto standard_error = part.position.standard_error;
  auto& stream = executor.streams[standard_error ? 1 : 0];
  // The end of a program that its worker knows nothing of is not believed before
  // the master tells of it.
  if (stream.complete
      || (part.complete && part.problem && !executor.end
          && !application_is_over_))
    return;
  OutputNews x;
  x.exec_id = exec_id;
  x.standard_error = standard_error;
  if (!part.data.empty()) {
    // The problem of a complete part tells of what it lacks.
    x.dropped
        = no_longer_kept(part, stream.offset) + (part.complete ? 0 : part.gone);
    stream.offset
        = part.position.offset + static_cast<std::int64_t>(part.data.size());
    executor.ran = true;
  }
  x.data = std::move(part.data);
  // Once, however often it comes and goes. With data, what is lost is `dropped` already.
  if (part.problem && x.data.empty() && part.problem != executor.problem
      && !part.complete)
    x.problem = executor.problem = part.problem;
  if (!x.data.empty() || x.problem)
    news.push_back(std::move(x));
  if (!part.complete)
    return;
  stream.complete = true;
  stream.loss = loss_text(part);
  executor.ran = executor.ran || part.lost > 0;
  const auto& [out, err] = executor.streams;
  if (!out.complete || !err.complete)
    return;
  workers_[executor.worker].taken.insert(exec_id);
  close(exec_id, executor.ran ? loss_of(out.loss, err.loss) : std::nullopt,
        news);
}

std::vector<OutputNews> OutputProgress::failed(Instant now,
                                               const WorkerId& worker,
                                               Errc code,
                                               const std::string& why) {
  std::vector<OutputNews> news;
  auto i = workers_.find(worker);
  if (i == workers_.end())
    return news;
  bytes_asked_ -= std::exchange(i->second.asked, std::nullopt).value_or(0);
  pause(now, i->second);
  i->second.named.clear();
  i->second.unread_due = now + i->second.unread_pause;
  i->second.unread_pause
      = std::min(2 * i->second.unread_pause, longest_unread_pause);
  ask(worker);
  if (code != Errc::not_found)
    return news;
  i->second.back_since.reset();
  for (auto& [exec_id, told] : i->second.unread)
    told.reset();
  // The worker does not know that they are complete.
  for (auto exec_id : i->second.taken)
    remember_unread(worker, exec_id);
  // Those that have not ended are restarted elsewhere, as the master will say.
  auto executors = i->second.executors;
  for (auto exec_id : executors) {
    const auto& executor = executors_.at(exec_id);
    auto returns
        = executor.found_again && now - *executor.found_again < return_patience;
    if ((executor.end || application_is_over_) && !returns) {
      close(exec_id, why, news);
      remember_unread(worker, exec_id);
    }
  }
  i->second.taken.clear();
  ask(worker);
  return news;
}

void OutputProgress::ask(const WorkerId& id) {
  const auto& worker = workers_.at(id);
  if (worker.asked || (!is_read(worker) && worker.unread.empty()))
    to_ask_.erase(id);
  else
    to_ask_.insert(id);
}

std::optional<Instant> OutputProgress::due(Instant now) const {
  std::optional<Instant> result;
  for (const auto& id : to_ask_)
    if (auto x = due_of(workers_.at(id)); x && *x > now)
      result = earlier(result, x);
  return result;
}

bool OutputProgress::is_read(const Worker& x) {
  return !x.executors.empty() || !x.taken.empty();
}

std::optional<Instant> OutputProgress::due_of(const Worker& x) {
  return is_read(x) ? x.not_before : x.unread_due;
}

void OutputProgress::close(int exec_id, std::optional<std::string> loss,
                           std::vector<OutputNews>& news) {
  auto i = executors_.find(exec_id);
  auto worker = std::move(i->second.worker);
  executors_.erase(i);
  workers_[worker].executors.erase(exec_id);
  ask(worker);
  OutputNews x;
  x.exec_id = exec_id;
  x.closed = true;
  x.loss = std::move(loss);
  news.push_back(std::move(x));
}

void OutputProgress::pause(Instant now, Worker& worker) {
  worker.pause = worker.pause == Duration{}
                     ? first_retry_pause
                     : std::min(2 * worker.pause, longest_retry_pause);
  worker.not_before = now + worker.pause;
}

} // namespace stoker
