#include "tools/conformance/allocation_cases.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "scheduling/allocation/allocation_manager.hpp"
#include "scheduling/allocation/allocation_settings.hpp"
#include "scheduling/common/units.hpp"
#include "tools/conformance/case_fields.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;

int number(const json::object& x, const char* field) {
  return x.at(field).to_number<int>();
}

Result<AllocationSettings> settings(const json::object& from) {
  auto names = allocation_setting_names();
  std::map<std::string, std::string> result{
      {"spark.dynamicAllocation.enabled", "true"},
      {"spark.shuffle.service.enabled", "true"}};
  for (const auto& [key, value] : from.at("conf").as_object()) {
    std::string name{key};
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw std::invalid_argument{"unknown setting: " + name};
    result[name] = text(value);
  }
  return read_allocation_settings(result);
}

/// Ids of executors are texts in the cases, and all of them are numbers.
int exec_id(const json::object& event) {
  auto name = text(event.at("executor"));
  auto result = parse_count(name);
  if (!result || *result < 0 || std::to_string(*result) != name)
    throw std::invalid_argument{"the id of an executor is not a number: "
                                + name};
  return *result;
}

StageAttempt stage(const json::object& event) {
  return {StageId{number(event, "stage")}, number(event, "attempt")};
}

LocalityHints locality(const json::array& of_tasks) {
  LocalityHints result;
  for (const auto& hosts : of_tasks) {
    result.tasks += hosts.as_array().empty() ? 0 : 1;
    for (const auto& host : hosts.as_array())
      ++result.by_host[text(host)];
  }
  return result;
}

TaskOutcome outcome(const json::object& event) {
  auto word = text(event.at("outcome"));
  if (word == "success")
    return TaskOutcome::succeeded;
  if (word == "failed")
    return TaskOutcome::failed;
  if (word == "killed")
    return TaskOutcome::killed;
  throw std::invalid_argument{"unknown outcome of a task: " + word};
}

/// One case of kind `trace`.
class Trace {
public:
  explicit Trace(const json::object& from)
      : manager_(valid_settings(from)),
        now_(from_ms(from.at("start_ms").to_number<std::int64_t>())) {
    carry_out(manager_.start(now_));
    tell(-1);
  }

  void play(int index, const json::object& event) {
    auto at = from_ms(event.at("at_ms").to_number<std::int64_t>());
    if (at < now_)
      throw std::invalid_argument{"the time goes back at event "
                                  + std::to_string(index)};
    now_ = at;
    auto what = text(event.at("event"));
    apply(what, event);
    if (what == "schedule")
      tell(index);
  }

  json::array take_expect() {
    return std::move(expect_);
  }

private:
  static AllocationSettings valid_settings(const json::object& from) {
    auto result = settings(from);
    if (!result)
      throw std::invalid_argument{result.error().message};
    return *result;
  }

  static void allow_event(const json::object& event,
                          std::initializer_list<std::string_view> fields) {
    json::object rest = event;
    rest.erase("at_ms");
    rest.erase("event");
    allow(rest, fields);
  }

  void apply(const std::string& what, const json::object& x) {
    if (what == "schedule") {
      allow_event(x, {});
      step(AllocationTick{});
    } else if (what.starts_with("stage_")) {
      apply_stage(what, x);
    } else if (what == "task_start" || what == "task_end") {
      apply_task(what, x);
    } else if (what == "speculative_task_submitted") {
      allow_event(x, {"stage", "attempt", "index"});
      step(SpeculationWanted{stage(x), number(x, "index")});
    } else if (what == "executor_added") {
      allow_event(x, {"executor", "host"});
      step(ExecutorJoined{exec_id(x)});
    } else if (what == "executor_removed") {
      allow_event(x, {"executor"});
      step(ExecutorLeft{exec_id(x)});
    } else if (what == "cluster_manager") {
      allow_event(x, {"reachable"});
      reachable_ = x.at("reachable").as_bool();
    } else {
      apply_block(what, x);
    }
  }

  void apply_stage(const std::string& what, const json::object& x) {
    if (what == "stage_submitted") {
      allow_event(x, {"stage", "attempt", "tasks", "locality"});
      StageSubmitted event{stage(x), number(x, "tasks"), {}};
      if (const auto* hosts = x.if_contains("locality"))
        event.locality = locality(hosts->as_array());
      step(event);
    } else if (what == "stage_completed") {
      allow_event(x, {"stage", "attempt", "tasks"});
      step(StageEnded{stage(x)});
    } else {
      throw std::invalid_argument{"unknown event: " + what};
    }
  }

  /// Cases number tasks through; Stoker numbers the attempts at each task of a stage.
  void apply_task(const std::string& what, const json::object& x) {
    auto task = x.at("task").to_number<std::int64_t>();
    if (what == "task_end") {
      allow_event(x, {"stage", "attempt", "task", "index", "executor",
                      "speculative", "outcome"});
      auto i = tasks_.find(task);
      if (i != tasks_.end())
        step(TaskOver{i->second, outcome(x)});
      return;
    }
    allow_event(
        x, {"stage", "attempt", "task", "index", "executor", "speculative"});
    TaskBegan event;
    event.id = {StageId{number(x, "stage")}, number(x, "index"), 0};
    event.id.attempt = attempts_[{event.id.stage, event.id.task}]++;
    event.stage_attempt = number(x, "attempt");
    event.exec_id = exec_id(x);
    event.speculative = x.at("speculative").as_bool();
    tasks_[task] = event.id;
    step(event);
  }

  void apply_block(const std::string& what, const json::object& x) {
    if (what == "rdd_unpersisted") {
      allow_event(x, {"rdd"});
      step(DatasetUnpersisted{number(x, "rdd")});
      return;
    }
    allow_event(x, {"executor", "rdd", "split"});
    if (what == "block_stored")
      step(BlockStored{exec_id(x), number(x, "rdd"), number(x, "split")});
    else if (what == "block_dropped")
      step(BlockDropped{exec_id(x), number(x, "rdd"), number(x, "split")});
    else
      throw std::invalid_argument{"unknown event: " + what};
  }

  void step(const AllocationEvent& event) {
    carry_out(manager_.step(now_, event));
  }

  /// Answers at once, as the cases' cluster manager does.
  void carry_out(AllocationActions actions) {
    std::deque<AllocationAction> queue(std::make_move_iterator(actions.begin()),
                                       std::make_move_iterator(actions.end()));
    for (; !queue.empty(); queue.pop_front()) {
      auto more = std::visit(
          [this](const auto& x) { return manager_.step(now_, answer(x)); },
          queue.front());
      queue.insert(queue.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    }
  }

  AllocationEvent answer(const WantTotal& x) {
    json::object hosts;
    for (const auto& [host, count] : x.locality->by_host)
      hosts[host] = count;
    requests_.push_back({{"total", x.total},
                         {"locality_aware_tasks", x.locality->tasks},
                         {"host_to_local_task_count", std::move(hosts)},
                         {"acknowledged", reachable_}});
    return WantTotalAnswered{x.number, reachable_};
  }

  AllocationEvent answer(const EndIdle& x) {
    json::array ids;
    for (auto id : x.exec_ids)
      ids.emplace_back(std::to_string(id));
    killed_.emplace_back(std::move(ids));
    return EndIdleAnswered{x.number,
                           reachable_ ? x.exec_ids : std::vector<int>{}};
  }

  void tell(int after) {
    auto status = manager_.status();
    json::value add_at;
    if (status.add_at)
      add_at = to_ms(*status.add_at);
    expect_.push_back({{"after", after},
                       {"at_ms", to_ms(now_)},
                       {"target", status.target},
                       {"needed", status.needed},
                       {"requests", std::exchange(requests_, {})},
                       {"killed", std::exchange(killed_, {})},
                       {"next_increment", status.next_increment},
                       {"add_at_ms", std::move(add_at)},
                       {"executors_known", status.executors},
                       {"executors_pending_removal", status.leaving},
                       {"initializing", status.initializing}});
  }

  AllocationManager manager_;
  Instant now_;
  bool reachable_ = true;
  std::map<std::int64_t, TaskAttempt> tasks_;

  /// How many there were at a task of a stage.
  std::map<std::pair<StageId, int>, int> attempts_;
  json::array requests_;
  json::array killed_;
  json::array expect_;
};

json::value first_target(const json::object& from) {
  auto read = settings(from);
  json::object result{{"rejected", !read}, {"initial_target", nullptr}};
  if (read)
    result["initial_target"] = AllocationManager{*read}.status().target;
  return result;
}

json::value run_trace(const json::object& from) {
  Trace trace{from};
  int index = 0;
  for (const auto& event : from.at("events").as_array())
    trace.play(index++, event.as_object());
  return trace.take_expect();
}

} // namespace

json::value allocations(const json::value& original) {
  const auto& from = original.as_object();
  auto kind = text(from.at("kind"));
  json::object result{{"id", from.at("id")}};
  if (kind == "conf") {
    allow(from, {"id", "kind", "spark_version", "note", "conf", "expect"});
    result["expect"] = first_target(from);
  } else if (kind == "trace") {
    allow(from, {"id", "kind", "spark_version", "note", "conf", "start_ms",
                 "events", "expect"});
    result["expect"] = run_trace(from);
  } else {
    throw std::invalid_argument{"unknown kind of case: " + kind};
  }
  return result;
}

} // namespace stoker::conformance
