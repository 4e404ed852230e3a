#include "tests/scheduling/master/naive_pass.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/json.hpp>

namespace stoker::test {

namespace {

namespace json = boost::json;

struct NaiveWorker {
  std::string id;
  long cores_free = 0;
  long memory_free = 0;
  std::string state;
};

struct NaiveExecutor {
  long id = 0;
  std::size_t worker = 0;
  long cores = 0;
};

struct NaiveApp {
  std::string id;
  std::optional<long> cores_per_executor;
  long memory = 0;
  long cap = 0;
  long limit = 0;
  std::vector<NaiveExecutor> executors;
  long next_id = 0;

  [[nodiscard]] long granted() const {
    long sum = 0;
    for (const auto& x : executors)
      sum += x.cores;
    return sum;
  }
  [[nodiscard]] long min() const {
    return cores_per_executor.value_or(1);
  }
};

constexpr long unlimited = std::numeric_limits<int>::max();

std::string text(const json::value& x) {
  return std::string{x.as_string()};
}

std::optional<long> optional_long(const json::value& x) {
  return x.is_null() ? std::nullopt : std::optional{x.to_number<long>()};
}

class NaiveMaster {
public:
  explicit NaiveMaster(const json::object& from)
      : spread_out_(from.at("spreadOut").as_bool()),
        default_cores_(optional_long(from.at("default_cores"))) {
    for (const auto& x : from.at("workers").as_array())
      add(x);
    for (const auto& x : from.at("apps").as_array())
      submit(x);
  }

  void change(const json::value& x) {
    auto op = text(x.at("op"));
    if (op == "add_worker")
      add(x.at("worker"));
    else if (op == "submit_app")
      submit(x.at("app"));
    else if (op == "set_executor_limit")
      app(x).limit = x.at("limit").to_number<long>();
    else if (op == "kill_executors")
      for (const auto& id : x.at("exec_ids").as_array())
        end(app(x), id.to_number<long>());
    else if (op == "executor_exited")
      end(app(x), x.at("exec_id").to_number<long>());
    else if (op == "finish_app")
      finish(text(x.at("app")));
    else if (op == "remove_worker")
      leave(text(x.at("worker")), "DEAD");
    else if (op == "decommission_worker")
      leave(text(x.at("worker")), "DECOMMISSIONED");
    else
      throw std::invalid_argument{"unknown change: " + op};
  }

  void pass_into(json::object& result) {
    json::array expect;
    for (auto& x : apps_)
      expect.push_back(serve(x));
    result["expect"] = std::move(expect);
    json::array apps;
    for (const auto& x : apps_)
      apps.push_back({{"app", x.id},
                      {"cores_granted", x.granted()},
                      {"cores_left", x.cap - x.granted()},
                      {"executors", x.executors.size()}});
    json::array workers;
    for (const auto& x : workers_)
      workers.push_back({{"worker", x.id},
                         {"cores_free", x.cores_free},
                         {"memory_free_mb", x.memory_free},
                         {"state", x.state}});
    result["after"]
        = {{"apps", std::move(apps)}, {"workers", std::move(workers)}};
  }

private:
  void add(const json::value& x) {
    workers_.push_back({text(x.at("id")), x.at("cores").to_number<long>(),
                        x.at("memory_mb").to_number<long>(),
                        text(x.at("state"))});
  }

  void submit(const json::value& x) {
    NaiveApp result;
    result.id = text(x.at("id"));
    result.cores_per_executor = optional_long(x.at("cores_per_executor"));
    result.memory = x.at("memory_per_executor_mb").to_number<long>();
    result.cap = optional_long(x.at("max_cores"))
                     .value_or(default_cores_.value_or(unlimited));
    result.limit = optional_long(x.at("executor_limit")).value_or(unlimited);
    apps_.push_back(std::move(result));
  }

  NaiveApp& app(const json::value& change) {
    auto id = text(change.at("app"));
    return *std::find_if(apps_.begin(), apps_.end(),
                         [&](const auto& x) { return x.id == id; });
  }

  void end(NaiveApp& x, long id) {
    std::erase_if(x.executors, [&](const NaiveExecutor& executor) {
      if (executor.id != id)
        return false;
      workers_[executor.worker].cores_free += executor.cores;
      workers_[executor.worker].memory_free += x.memory;
      return true;
    });
  }

  void finish(const std::string& id) {
    for (auto& x : apps_)
      while (x.id == id && !x.executors.empty())
        end(x, x.executors.front().id);
    std::erase_if(apps_, [&](const auto& x) { return x.id == id; });
  }

  /// The worker's own figures stay as they are.
  void leave(const std::string& id, const std::string& state) {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].id != id)
        continue;
      workers_[i].state = state;
      for (auto& x : apps_)
        std::erase_if(x.executors, [&](const auto& executor) {
          return executor.worker == i;
        });
    }
  }

  json::value serve(NaiveApp& x) {
    json::object assigned;
    json::array executors;
    auto usable = x.cap - x.granted() < x.min() ? std::vector<std::size_t>{}
                                                : usable_workers(x);
    auto cores = assign(x, usable);
    for (std::size_t i = 0; i < usable.size(); ++i) {
      if (cores[i] == 0)
        continue;
      auto& worker = workers_[usable[i]];
      assigned[worker.id] = cores[i];
      auto each = x.cores_per_executor.value_or(cores[i]);
      for (auto n = cores[i] / each; n > 0; --n) {
        x.executors.push_back({x.next_id++, usable[i], each});
        worker.cores_free -= each;
        worker.memory_free -= x.memory;
        executors.push_back({{"worker", worker.id},
                             {"cores", each},
                             {"memory_mb", x.memory},
                             {"exec_id", x.executors.back().id}});
      }
    }
    return {{"app", x.id},
            {"assigned_cores", std::move(assigned)},
            {"executors", std::move(executors)}};
  }

  /// Most free cores first; of equals the later one.
  std::vector<std::size_t> usable_workers(const NaiveApp& x) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (workers_[i].state == "ALIVE" && workers_[i].memory_free >= x.memory
          && workers_[i].cores_free >= x.min())
        result.push_back(i);
    std::stable_sort(result.begin(), result.end(), [&](auto a, auto b) {
      return workers_[a].cores_free < workers_[b].cores_free;
    });
    std::reverse(result.begin(), result.end());
    return result;
  }

  std::vector<long> assign(const NaiveApp& x,
                           const std::vector<std::size_t>& usable) const {
    std::vector<long> cores(usable.size());
    std::vector<long> begun(usable.size());
    long free = 0;
    for (auto i : usable)
      free += workers_[i].cores_free;
    auto to_assign = std::min(x.cap - x.granted(), free);
    auto can_take_more = [&](std::size_t i) {
      const auto& worker = workers_[usable[i]];
      if (to_assign < x.min() || worker.cores_free - cores[i] < x.min())
        return false;
      if (!x.cores_per_executor && begun[i] > 0)
        return true;
      auto all = std::accumulate(begun.begin(), begun.end(), 0L);
      return worker.memory_free - begun[i] * x.memory >= x.memory
             && all + static_cast<long>(x.executors.size()) < x.limit;
    };
    auto give = [&](std::size_t i) {
      to_assign -= x.min();
      cores[i] += x.min();
      begun[i] = x.cores_per_executor ? begun[i] + 1 : 1;
    };
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < usable.size(); ++i)
        while (can_take_more(i)) {
          give(i);
          again = true;
          if (spread_out_)
            break;
        }
    }
    return cores;
  }

  bool spread_out_;
  std::optional<long> default_cores_;
  std::vector<NaiveWorker> workers_;
  std::vector<NaiveApp> apps_;
};

} // namespace

boost::json::value complete_naively(const boost::json::value& original) {
  auto result = original.as_object();
  NaiveMaster master{result};
  master.pass_into(result);
  for (auto& round : result["rounds"].as_array()) {
    for (const auto& change : round.at("changes").as_array())
      master.change(change);
    master.pass_into(round.as_object());
  }
  return result;
}

} // namespace stoker::test
