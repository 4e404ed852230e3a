#include "scheduling/master/event_lines.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace stoker {

namespace {

/// "a b" in quotes, with quotes and backslashes in it marked.
std::string quoted(const std::string& text) {
  auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0
           || std::string_view{"-_./:@+,"}.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
    return text;
  std::string result = "\"";
  for (auto c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

/// Fields in order; what is not set is left out.
class Fields {
public:
  Fields&& add(const char* name, const std::string& value) && {
    text_
        += (text_.empty() ? "" : " ") + std::string{name} + '=' + quoted(value);
    return std::move(*this);
  }
  Fields&& add(const char* name, std::int64_t value) && {
    return std::move(*this).add(name, std::to_string(value));
  }
  template <class T>
  Fields&& add(const char* name, const std::optional<T>& value) && {
    return value ? std::move(*this).add(name, *value) : std::move(*this);
  }
  Fields&& add_unless_empty(const char* name, const std::string& value) && {
    return value.empty() ? std::move(*this) : std::move(*this).add(name, value);
  }

  [[nodiscard]] std::string text() && {
    return std::move(text_);
  }

private:
  std::string text_;
};

EventLine line(const char* event, Fields&& fields, bool is_warning = false) {
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
          line("worker-registered", Fields{}
                                        .add("worker", x.id.value)
                                        .add("host", x.host)
                                        .add("cores", x.cores)
                                        .add("memory_mb", x.memory_mb)
                                        .add_unless_empty("by", x.identity)));
    if (x.state == WorkerState::DECOMMISSIONED
        && known.leaving_.insert(x.id).second)
      lines.push_back(
          line("worker-leaves", Fields{}.add("worker", x.id.value)));
  }
  void operator()(const EraseWorker& x) const {
    known.leaving_.erase(x.id);
    if (known.workers_.erase(x.id) > 0)
      lines.push_back(line(
          "worker-lost",
          Fields{}.add("worker", x.id.value).add("reason", x.reason), true));
  }

  void operator()(const StoredApplication& x) const {
    auto is_new = false;
    if (!is_finished(x.state))
      is_new = known.applications_.insert(x.id).second;
    if (is_new)
      lines.push_back(line("application-registered",
                           Fields{}
                               .add("app", x.id.value)
                               .add("name", x.description.name)
                               .add("user", x.description.user)
                               .add_unless_empty("by", x.identity)));
    if (is_finished(x.state) && known.applications_.erase(x.id) > 0)
      lines.push_back(line("application-ended",
                           Fields{}
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
          line("driver-submitted", Fields{}
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
                           Fields{}
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
             Fields{}
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
  static Fields place(const StoredExecutor& x) {
    return Fields{}
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
