#include "metrics/master_metrics.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace stoker {

namespace {

using Counters = prometheus::Family<prometheus::Counter>;

/// In seconds: from a store in memory to a disk that hangs.
const prometheus::Histogram::BucketBoundaries commit_bounds{
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
    0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};

Counters& counters(prometheus::Registry& registry, const std::string& name,
                   const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::MetricFamily gauge(const char* name, const char* help,
                               double value) {
  prometheus::ClientMetric metric;
  metric.gauge.value = value;
  return {name, help, prometheus::MetricType::Gauge, {metric}};
}

/// What cannot be measured, as before the first leadership, is left out.
void add_store(std::vector<prometheus::MetricFamily>& to,
               const std::string& store) {
  std::error_code error;
  // It may be a link to another disk.
  auto file = std::filesystem::canonical(store, error).string();
  if (error)
    file = store;
  double bytes = 0;
  // What is committed goes into a file beside it first.
  for (const auto* end : {"", "-wal"})
    if (auto size = std::filesystem::file_size(file + end, error); !error)
      bytes += static_cast<double>(size);
  if (bytes > 0)
    to.push_back(gauge("stoker_store_bytes", "What the store takes", bytes));
  auto disk = std::filesystem::space(std::filesystem::path{file}.parent_path(),
                                     error);
  if (error)
    return;
  to.push_back(gauge("stoker_store_disk_bytes", "Size of the store's disk",
                     static_cast<double>(disk.capacity)));
  to.push_back(gauge("stoker_store_disk_free_bytes",
                     "What is free of it for the master",
                     static_cast<double>(disk.available)));
}

} // namespace

class MasterMetrics::Impl {
public:
  /// Counters that differ in one label, whose values are few and stay.
  class CountersByLabel {
  public:
    CountersByLabel(Counters& family, std::string label)
        : family_(family), label_(std::move(label)) {
    }

    void count(std::string_view value, double n = 1) {
      std::lock_guard lock{mutex_};
      auto& counter = counters_[value];
      if (counter == nullptr)
        counter = &family_.Add({{label_, std::string{value}}});
      counter->Increment(n);
    }

  private:
    Counters& family_;
    std::string label_;
    std::mutex mutex_;
    std::map<std::string_view, prometheus::Counter*> counters_;
  };

  std::string store_file;
  prometheus::Registry registry;
  prometheus::Counter& steps
      = counters(registry, "stoker_steps_total",
                 "Events that the master has decided about")
            .Add({});
  CountersByLabel events{
      counters(registry, "stoker_events_total",
               "What has happened, by its name in the master's log"),
      "event"};
  CountersByLabel refusals{counters(registry, "stoker_refusals_total",
                                    "Who was not accepted, and as what"),
                           "kind"};
  prometheus::Counter& changes
      = counters(registry, "stoker_committed_changes_total",
                 "Records that were stored or erased")
            .Add({});
  prometheus::Counter& failed_commits
      = counters(registry, "stoker_failed_commits_total",
                 "Commits that the store refused")
            .Add({});
  prometheus::Counter& leaderships
      = counters(registry, "stoker_leaderships_total",
                 "How often this master became the leader")
            .Add({});
  prometheus::Histogram& commit_seconds
      = prometheus::BuildHistogram()
            .Name("stoker_commit_seconds")
            .Help("How long the store took for a commit")
            .Register(registry)
            .Add({}, commit_bounds);
  prometheus::Gauge& peers
      = prometheus::BuildGauge()
            .Name("stoker_peers")
            .Help("Workers, applications and others that are connected")
            .Register(registry)
            .Add({});
};

MasterMetrics::MasterMetrics(std::string store_file)
    : impl_(std::make_unique<Impl>()) {
  impl_->store_file = std::move(store_file);
  for (const auto* kind :
       {"worker", "application", "driver", "connection", "message"})
    impl_->refusals.count(kind, 0);
}

MasterMetrics::~MasterMetrics() = default;

void MasterMetrics::step() {
  impl_->steps.Increment();
}

void MasterMetrics::know_event(std::string_view name) {
  impl_->events.count(name, 0);
}

void MasterMetrics::event(std::string_view name) {
  impl_->events.count(name);
}

void MasterMetrics::refusal(std::string_view of) {
  impl_->refusals.count(of);
}

void MasterMetrics::commit(std::chrono::nanoseconds took, std::size_t changes) {
  impl_->commit_seconds.Observe(std::chrono::duration<double>{took}.count());
  impl_->changes.Increment(static_cast<double>(changes));
}

void MasterMetrics::failed_commit() {
  impl_->failed_commits.Increment();
}

void MasterMetrics::leadership() {
  impl_->leaderships.Increment();
}

void MasterMetrics::set_peers(std::size_t count) {
  impl_->peers.Set(static_cast<double>(count));
}

std::vector<prometheus::MetricFamily> MasterMetrics::collect() const {
  auto result = impl_->registry.Collect();
  if (!impl_->store_file.empty())
    add_store(result, impl_->store_file);
  return result;
}

} // namespace stoker
