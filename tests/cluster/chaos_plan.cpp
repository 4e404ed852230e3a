#include "tests/cluster/chaos_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <sstream>
#include <utility>

#include "scheduling/common/random.hpp"

namespace stoker::test {

namespace {

using std::chrono::milliseconds;

bool is_of_master(Fault x) {
  return x == Fault::KILL_MASTER || x == Fault::STOP_MASTER
         || x == Fault::CUT_MASTER;
}

milliseconds between(Random& random, int from_ms, int to_ms) {
  auto range = static_cast<std::size_t>(to_ms - from_ms);
  return milliseconds{from_ms + static_cast<int>(random.below(range))};
}

milliseconds length_of(Fault what, const ChaosOptions& options,
                       Random& random) {
  auto grace = static_cast<int>(options.orphan_grace.count());
  switch (what) {
  case Fault::KILL_MASTER:
    return between(random, 100, 4'000);
  case Fault::KILL_WORKER:
    // Within the grace, after its end, or so late that the worker is lost.
    return random.below(2) == 0 ? between(random, 50, grace / 2)
                                : between(random, grace, 6 * grace);
  case Fault::CUT_MASTER:
  case Fault::CUT_WORKER:
    // Mostly shorter than it takes to be given up.
    return random.below(3) == 0 ? between(random, 6'000, 12'000)
                                : between(random, 500, 4'000);
  case Fault::STOP_MASTER:
  case Fault::STOP_WORKER:
    return between(random, 500, 4'000);
  case Fault::REMOVE_LOCK:
    break;
  }
  return {};
}

/// Often ones more than once.
std::vector<Fault> kinds(bool partitions) {
  std::vector<Fault> result{Fault::KILL_MASTER, Fault::KILL_MASTER,
                            Fault::KILL_WORKER, Fault::KILL_WORKER,
                            Fault::STOP_MASTER, Fault::STOP_WORKER,
                            Fault::REMOVE_LOCK};
  if (partitions)
    result.insert(result.end(), {Fault::CUT_MASTER, Fault::CUT_WORKER});
  return result;
}

std::string seconds(milliseconds x) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1)
      << static_cast<double>(x.count()) / 1000 << " s";
  return out.str();
}

} // namespace

ChaosOptions chaos_options() {
  ChaosOptions result;
  if (const auto* seed = std::getenv("STOKER_SEED"))
    result.seed = std::strtoull(seed, nullptr, 10);
  if (const auto* duration = std::getenv("STOKER_CHAOS_SECONDS"))
    result.duration = std::chrono::seconds{std::strtol(duration, nullptr, 10)};
  return result;
}

std::vector<PlannedFault> plan_faults(const ChaosOptions& options) {
  Random random{options.seed};
  std::vector<PlannedFault> result;
  // When each master and worker is well again.
  std::map<std::pair<bool, int>, milliseconds> well;
  auto possible = kinds(options.partitions);
  // What cannot begin is left out, so this is more than there will be.
  constexpr auto longest_pause = 2'500;
  for (auto at = milliseconds{1'000}; at < options.duration;
       at += between(random, 200, longest_pause)) {
    auto what = possible[random.below(possible.size())];
    auto of_master = is_of_master(what) || what == Fault::REMOVE_LOCK;
    auto targets = of_master ? options.masters : options.workers;
    auto target
        = 1 + static_cast<int>(random.below(static_cast<std::size_t>(targets)));
    auto end = at + length_of(what, options, random);
    auto& free = well[{of_master, target}];
    if (what != Fault::REMOVE_LOCK && at < free)
      continue;
    free = std::max(free, end);
    result.push_back({what, target, at, end});
  }
  return result;
}

std::string to_string(const PlannedFault& fault) {
  auto target = ' ' + std::to_string(fault.target) + " for "
                + seconds(fault.end - fault.begin);
  auto at = seconds(fault.begin) + ": ";
  switch (fault.what) {
  case Fault::KILL_MASTER:
    return at + "kill master" + target;
  case Fault::KILL_WORKER:
    return at + "kill worker" + target;
  case Fault::STOP_MASTER:
    return at + "stop master" + target;
  case Fault::STOP_WORKER:
    return at + "stop worker" + target;
  case Fault::CUT_MASTER:
    return at + "cut off master" + target;
  case Fault::CUT_WORKER:
    return at + "cut off worker" + target;
  case Fault::REMOVE_LOCK:
    break;
  }
  return at + "remove the lock";
}

} // namespace stoker::test
