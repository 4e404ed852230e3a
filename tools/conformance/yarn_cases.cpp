#include "tools/conformance/yarn_cases.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/json.hpp>

#include "scheduling/allocation/executor_requests.hpp"
#include "tools/conformance/case_fields.hpp"

namespace stoker::conformance {

namespace {

namespace json = boost::json;

/// What YARN says of containers whose end is nobody's fault, or that somebody wanted:
/// success, aborted, disks failed, preempted, too much virtual or physical memory, and
/// killed by the application's master, by the resource manager or after the end.
constexpr std::array<int, 9> blameless{0,    -100, -101, -102, -103,
                                       -104, -105, -106, -107};

/// "47s"
Duration time_of(const std::string& text) {
  static const std::map<std::string, std::int64_t> units{
      {"", 1},         {"ms", 1},       {"s", 1000},      {"m", 60'000},
      {"min", 60'000}, {"h", 3600'000}, {"d", 86'400'000}};
  std::int64_t number = 0;
  auto [end, error]
      = std::from_chars(text.data(), text.data() + text.size(), number);
  auto unit
      = units.find(text.substr(static_cast<std::size_t>(end - text.data())));
  if (error != std::errc{} || unit == units.end() || number < 0)
    throw std::invalid_argument{"not a duration: " + text};
  return Duration{number * unit->second};
}

ExecutorRequestsConfig book_config(const json::object& conf) {
  constexpr auto validity = "spark.yarn.executor.failuresValidityInterval";
  allow(conf, {validity});
  ExecutorRequestsConfig result;
  result.as_yarn = true;
  if (const auto* found = conf.if_contains(validity))
    result.failures_validity = time_of(text(*found));
  return result;
}

int initial_total(const json::object& from) {
  auto result = from.at("initial_total").to_number<int>();
  if (result < 0)
    throw std::invalid_argument{"initial_total is below 0"};
  return result;
}

/// One case. The book knows executors by the numbers of their containers.
class YarnRun {
public:
  explicit YarnRun(const json::object& from)
      : book_(book_config(from.at("conf").as_object()), initial_total(from)) {
  }

  /// Makes a step, and fills in what follows.
  void play(json::object& step) {
    auto op = text(step.at("op"));
    if (op == "request_total") {
      allow(step, {"op", "total", "changed", "expect"});
      auto total = step.at("total").to_number<int>();
      if (total < 0)
        throw std::invalid_argument{"total is below 0"};
      step["changed"] = book_.request_total(total);
    } else if (op == "update_requests") {
      allow(step, {"op", "expect"});
      book_.update_requests();
    } else if (op == "shutdown") {
      allow(step, {"op", "expect"});
      book_.shut_down();
    } else if (op == "allocated") {
      allow(step, {"op", "containers", "expect"});
      for (const auto& x : step.at("containers").as_array())
        allocate(x.as_object());
    } else if (op == "completed") {
      allow(step, {"op", "containers", "expect"});
      for (const auto& x : step.at("containers").as_array())
        complete_one(x.as_object());
    } else if (op == "kill_executor") {
      allow(step, {"op", "executor", "expect"});
      kill(text(step.at("executor")));
    } else if (op == "pass_ms") {
      allow(step, {"op", "ms", "expect"});
      now_ += Duration{step.at("ms").to_number<std::int64_t>()};
    } else {
      throw std::invalid_argument{"unknown step: " + op};
    }
    if (auto wrong = book_.invariant_violation())
      throw std::logic_error{*wrong};
    step["expect"] = figures();
  }

private:
  void allocate(const json::object& x) {
    allow(x, {"container", "host"});
    auto container = x.at("container").to_number<int>();
    if (!seen_.insert(container).second)
      throw std::invalid_argument{"handed out twice: container "
                                  + std::to_string(container)};
    auto grant = book_.granted(container, text(x.at("host")));
    if (grant == ExecutorRequests::Grant::given_back)
      return;
    auto executor = ++executors_;
    if (grant == ExecutorRequests::Grant::runs)
      containers_[executor] = container;
  }

  void complete_one(const json::object& x) {
    allow(x, {"container", "exit_status"});
    auto status = x.at("exit_status").to_number<int>();
    auto is_failure = std::find(blameless.begin(), blameless.end(), status)
                      == blameless.end();
    book_.ended(now_, x.at("container").to_number<int>(), is_failure);
  }

  void kill(const std::string& executor) {
    for (const auto& [number, container] : containers_)
      if (std::to_string(number) == executor)
        (void)book_.kill({container});
  }

  [[nodiscard]] json::value figures() const {
    json::array executors;
    for (const auto& [number, container] : containers_) {
      auto found = book_.executors().find(container);
      if (found != book_.executors().end())
        executors.push_back({{"executor", std::to_string(number)},
                             {"container", container},
                             {"host", found->second.host}});
    }
    return {{"pending", book_.pending()},
            {"running", book_.running()},
            {"released", book_.released()},
            {"failed", book_.failures(now_)},
            {"unexpected_release", book_.unexpected_ends()},
            {"executors", std::move(executors)}};
  }

  ExecutorRequests book_;
  Instant now_;
  int executors_ = 0;

  /// By executor; those that were left alone have none.
  std::map<int, int> containers_;
  std::set<int> seen_;
};

} // namespace

boost::json::value requests_by_step(const boost::json::value& original) {
  auto result = original.as_object();
  if (auto kind = text(result.at("kind")); kind != "yarn")
    throw std::invalid_argument{"unknown kind of case: " + kind};
  allow(result, {"id", "kind", "spark_version", "note", "initial_total", "conf",
                 "steps"});
  YarnRun run{result};
  for (auto& step : result.at("steps").as_array())
    run.play(step.as_object());
  return result;
}

} // namespace stoker::conformance
