#include "tests/scheduling/master/random_case.hpp"

#include <set>
#include <string>

#include <boost/json.hpp>

#include "scheduling/common/random.hpp"

namespace stoker::test {

namespace {

namespace json = boost::json;

/// Figures are small, so that ties, and things that just fit or just do not,
/// are frequent.
class CaseMaker {
public:
  explicit CaseMaker(std::uint64_t seed) : random_(seed), seed_(seed) {
  }

  json::value make() {
    json::array workers;
    for (auto n = below(25); n > 0; --n)
      workers.push_back(worker());
    json::array apps;
    for (auto n = 1 + below(5); n > 0; --n)
      apps.push_back(app());
    json::array rounds;
    for (auto n = below(5); n > 0; --n)
      rounds.push_back(round());
    return {{"id", "random-" + std::to_string(seed_)},
            {"kind", "schedule"},
            {"spreadOut", below(2) == 0},
            {"default_cores", perhaps(1 + below(20), 3)},
            {"workers", std::move(workers)},
            {"apps", std::move(apps)},
            {"rounds", std::move(rounds)}};
  }

private:
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::size_t>(bound)));
  }

  /// `x`, or null once in `n` times.
  json::value perhaps(int x, int n) {
    return below(n) == 0 ? json::value(nullptr) : json::value(x);
  }

  json::value worker() {
    return {{"id", "w" + std::to_string(++workers_)},
            {"cores", 1 + below(9)},
            {"memory_mb", 256 * (1 + below(12))},
            {"state", below(12) == 0 ? "UNKNOWN" : "ALIVE"}};
  }

  json::value app() {
    live_.push_back("a" + std::to_string(++apps_));
    return {{"id", live_.back()},
            {"cores_per_executor", perhaps(1 + below(4), 2)},
            {"memory_per_executor_mb", 128 * (1 + below(8))},
            {"max_cores", perhaps(1 + below(40), 3)},
            {"executor_limit", perhaps(below(9), 2)}};
  }

  json::value round() {
    json::array changes;
    for (auto n = 1 + below(5); n > 0; --n)
      changes.push_back(change());
    return json::object{{"changes", std::move(changes)}};
  }

  json::value change() {
    auto choice = below(9);
    if (choice == 0 || workers_ == 0)
      return {{"op", "add_worker"}, {"worker", worker()}};
    if (choice == 1 || choice == 2) {
      // Each worker leaves at most once: what becomes of one that is both dead
      // and decommissioned is not the subject here.
      auto leaving = 1 + below(workers_);
      if (gone_.insert(leaving).second)
        return {{"op", choice == 1 ? "remove_worker" : "decommission_worker"},
                {"worker", "w" + std::to_string(leaving)}};
    }
    if (choice <= 3 || live_.empty())
      return {{"op", "submit_app"}, {"app", app()}};
    auto i = static_cast<std::size_t>(below(static_cast<int>(live_.size())));
    auto name = live_[i];
    if (choice == 4)
      return {
          {"op", "set_executor_limit"}, {"app", name}, {"limit", below(12)}};
    if (choice == 5) {
      live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
      return {{"op", "finish_app"}, {"app", name}};
    }
    if (choice == 6)
      return {{"op", "kill_executors"},
              {"app", name},
              {"exec_ids", json::array{below(6), 6 + below(6), below(100)}}};
    return {{"op", "executor_exited"}, {"app", name}, {"exec_id", below(8)}};
  }

  Random random_;
  std::uint64_t seed_;
  int workers_ = 0;
  std::set<int> gone_;
  int apps_ = 0;
  std::vector<std::string> live_;
};

} // namespace

boost::json::value random_case(std::uint64_t seed) {
  return CaseMaker{seed}.make();
}

} // namespace stoker::test
