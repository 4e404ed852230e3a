#include "scheduling/master/event_lines.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "scheduling/master/log_fields.hpp"

namespace stoker {

namespace {

EventLine line(const char* event, LogFields&& fields, bool is_warning = false) {
  return {event, std::move(fields).text(), is_warning};
}

std::optional<std::string> value_of(const std::optional<WorkerId>& x) {
  return x ? std::optional{x->value} : std::nullopt;
}

} // namespace

/// What one change tells.
struct EventOf {
  EventLines& known;
  std::vector<EventLine>& lines;

  void operator()(const StoredWorker& x) const {
    if (known.workers_.insert(x.id).second)
      lines.push_back(
          line("worker-registered", LogFields{}
                                        .add("worker", x.id.value)
                                        .add("host", x.host)
                                        .add("cores", x.cores)
                                        .add("memory_mb", x.memory_mb)
                                        .add_unless_empty("by", x.identity)));
    if (x.state == WorkerState::DECOMMISSIONED
        && known.leaving_.insert(x.id).second)
      lines.push_back(
          line("worker-leaves", LogFields{}.add("worker", x.id.value)));
  }
  void operator()(const EraseWorker& x) const {
    known.leaving_.erase(x.id);
    if (known.workers_.erase(x.id) == 0)
      return;
    lines.push_back(
        x.has_left
            ? line("worker-left", LogFields{}.add("worker", x.id.value))
            : line(
                "worker-lost",
                LogFields{}.add("worker", x.id.value).add("reason", x.reason),
                true));
  }

  void operator()(const StoredApplication& x) const {
    auto is_new = false;
    if (!is_finished(x.state))
      is_new = known.applications_.insert(x.id).second;
    if (is_new)
      lines.push_back(line("application-registered",
                           LogFields{}
                               .add("app", x.id.value)
                               .add("name", x.description.name)
                               .add("user", x.description.user)
                               .add_unless_empty("by", x.identity)));
    if (is_finished(x.state) && known.applications_.erase(x.id) > 0)
      lines.push_back(line("application-ended",
                           LogFields{}
                               .add("app", x.id.value)
                               .add("end", to_string(x.state))
                               .add_unless_empty("message", x.message)));
  }

  void operator()(const StoredExecutor& x) const {
    ExecutorId id{x.app_id, x.exec_id};
    if (!x.ended && known.executors_.insert(id).second)
      lines.push_back(
          line("executor-started",
               place(x).add("cores", x.cores).add("memory_mb", x.memory_mb)));
    if (x.ended && known.executors_.erase(id) > 0)
      lines.push_back(line("executor-ended", place(x)
                                                 .add("end", to_string(x.state))
                                                 .add("code", code_of(x))
                                                 .add("message", x.message)));
  }

  void operator()(const StoredDriver& x) const {
    auto over = x.ended || x.relaunched_as;
    auto i = known.drivers_.find(x.id);
    if (i == known.drivers_.end() && !over) {
      i = known.drivers_.emplace(x.id, 0).first;
      lines.push_back(
          line("driver-submitted", LogFields{}
                                       .add("driver", x.id.value)
                                       .add("name", x.description.name)
                                       .add("user", x.description.user)
                                       .add_unless_empty("by", x.identity)));
    }
    if (i == known.drivers_.end())
      return;
    if (x.restarts > i->second) {
      i->second = x.restarts;
      lines.push_back(line("driver-restarts",
                           LogFields{}
                               .add("driver", x.id.value)
                               .add("worker", value_of(x.worker_id))
                               .add("restarts", x.restarts)
                               .add("message", x.message),
                           true));
    }
    if (!over)
      return;
    known.drivers_.erase(i);
    lines.push_back(
        line("driver-ended",
             LogFields{}
                 .add("driver", x.id.value)
                 .add("worker", value_of(x.worker_id))
                 .add("end", to_string(x.state))
                 .add("code", x.exit_status
                                  ? std::optional<std::int64_t>{*x.exit_status}
                                  : std::nullopt)
                 .add("message", x.message)
                 .add("again_as", x.relaunched_as
                                      ? std::optional{x.relaunched_as->value}
                                      : std::nullopt)));
  }

  template <class Other>
  void operator()(const Other&) const {
  }

private:
  static LogFields place(const StoredExecutor& x) {
    return LogFields{}
        .add("app", x.app_id.value)
        .add("executor", x.exec_id)
        .add("instance",
             x.index ? std::optional<std::int64_t>{*x.index} : std::nullopt)
        .add("worker", x.worker_id.value);
  }
  static std::optional<std::int64_t> code_of(const StoredExecutor& x) {
    return x.exit_status ? std::optional<std::int64_t>{*x.exit_status}
                         : std::nullopt;
  }
};

EventLines::EventLines(const StoredState& stored) {
  for (const auto& x : stored.workers) {
    workers_.insert(x.id);
    if (x.state == WorkerState::DECOMMISSIONED)
      leaving_.insert(x.id);
  }
  for (const auto& x : stored.applications)
    if (!is_finished(x.state))
      applications_.insert(x.id);
  for (const auto& x : stored.executors)
    if (!x.ended)
      executors_.insert({x.app_id, x.exec_id});
  for (const auto& x : stored.drivers)
    if (!x.ended && !x.relaunched_as)
      drivers_.emplace(x.id, x.restarts);
}

std::vector<EventLine> EventLines::of(const Changes& changes) {
  std::vector<EventLine> result;
  for (const auto& change : changes)
    std::visit(EventOf{*this, result}, change);
  return result;
}

} // namespace stoker
