#include "simulation/output_reading.hpp"

#include <utility>

#include "simulation/output_referee.hpp"

namespace stoker::simulation {

namespace {

/// Bytes that are under way, or wait for the reader.
constexpr std::int64_t bytes_max = 160 * 1024;

/// How long a run that is over waits without output.
constexpr Duration silence_max = std::chrono::milliseconds{1200};

} // namespace

OutputReading::OutputReading(Process& process, Instances instances,
                             OutputReferee& referee, Ask ask,
                             std::function<void()> over)
    : process_(process), referee_(referee), ask_(std::move(ask)),
      over_(std::move(over)), progress_(std::move(instances)) {
}

// -- the master ---------------------------------------------------------------

void OutputReading::learn(const ApplicationConnected& x) {
  app_id_ = x.id;
  output_.is_application(x.id);
}

void OutputReading::learn(const ExecutorAdded& x) {
  if (!progress_.added(x))
    return;
  open_.insert(x.id);
  output_.started(x.id, x.worker_id);
  go_on();
}

void OutputReading::learn(const ExecutorUpdated& x) {
  auto was_lost = progress_.is_lost(x.id);
  if (!progress_.updated(x))
    return;
  if (app_id_)
    referee_.learned({*app_id_, x.id}, x.state);
  if (was_lost) {
    open_.insert(x.id);
    hand_over(output_.found_again(process_.now(), x.id));
  }
  if (x.state == ExecutorState::RUNNING)
    output_.ran(x.id);
  if (is_finished(x.state)) {
    hand_over(output_.ended(x.id, x.state), x.state == ExecutorState::LOST);
    end_if_over();
  }
  go_on();
}

void OutputReading::learn(const ApplicationDead& x) {
  progress_.dead(x);
  output_.application_is_over();
  dead_ = true;
  heard_ = process_.now();
  go_on();
  listen();
  end_if_over();
}

/// What still ran is being ended, and may have something to say.
void OutputReading::listen() {
  process_.after(silence_max, [this] {
    if (process_.now() - heard_ < silence_max || stopped_ || !waiting_.empty())
      return listen();
    hand_over(output_.give_up("it had not ended when the run did"));
  });
}

void OutputReading::end_if_over() {
  if (is_over() && !std::exchange(has_ended_, true))
    over_();
}

// -- questions ----------------------------------------------------------------

void OutputReading::go_on() {
  auto now = process_.now();
  for (auto& request : output_.next_requests(now, bytes_max - unconsumed_)) {
    auto worker = request.worker_id;
    ask_(request, [this, worker](Result<OutputResponse> x) {
      answered(worker, std::move(x));
    });
  }
  if (auto when = wake_up_.ask_for(output_.due(now)))
    process_.at(*when, [this] {
      wake_up_.came(process_.now());
      go_on();
    });
}

void OutputReading::answered(const WorkerId& worker, Result<OutputResponse> x) {
  auto now = process_.now();
  auto has_answered = static_cast<bool>(x);
  auto news
      = x ? output_.answered(now, worker, *std::move(x))
          : output_.failed(now, worker, x.error().code, x.error().message);
  for (const auto& y : news)
    if (!has_answered && y.loss && app_id_)
      referee_.given_up({*app_id_, y.exec_id}, *y.loss);
  hand_over(std::move(news));
  go_on();
}

void OutputReading::hand_over(std::vector<OutputNews> news, bool lost) {
  for (auto& x : news) {
    unconsumed_ += static_cast<std::int64_t>(x.data.size());
    waiting_.push_back({std::move(x), lost});
  }
  take();
}

// -- the reader ---------------------------------------------------------------

void OutputReading::read_slowly(std::int64_t bytes_per_second, Duration lasts) {
  bytes_per_second_ = bytes_per_second;
  process_.after(lasts, [this, change = ++changes_] {
    if (change == changes_)
      read_on();
  });
}

void OutputReading::stop(std::optional<Duration> lasts) {
  stopped_ = true;
  stopped_for_ever_ = stopped_for_ever_ || !lasts;
  if (lasts)
    process_.after(*lasts, [this, change = ++changes_] {
      if (change == changes_)
        read_on();
    });
}

void OutputReading::read_on() {
  if (stopped_for_ever_)
    return;
  stopped_ = false;
  bytes_per_second_.reset();
  take();
  go_on();
}

void OutputReading::take() {
  while (!waiting_.empty() && !stopped_ && !takes_) {
    auto x = std::move(waiting_.front());
    waiting_.pop_front();
    auto bytes = static_cast<std::int64_t>(x.news.data.size());
    if (!bytes_per_second_ || bytes == 0) {
      deliver(x);
      continue;
    }
    takes_ = true;
    process_.after(Duration{1000 * bytes / *bytes_per_second_},
                   [this, x = std::move(x)] {
                     takes_ = false;
                     deliver(x);
                     take();
                     go_on();
                   });
  }
  end_if_over();
}

void OutputReading::deliver(const Waiting& waiting) {
  const auto& x = waiting.news;
  unconsumed_ -= static_cast<std::int64_t>(x.data.size());
  heard_ = process_.now();
  incomplete_ = incomplete_ || x.dropped > 0 || x.loss;
  if (app_id_)
    referee_.delivered({*app_id_, x.exec_id}, x, waiting.lost);
  if (!x.closed)
    return;
  if (auto i = open_.find(x.exec_id); i != open_.end())
    open_.erase(i);
}

} // namespace stoker::simulation
