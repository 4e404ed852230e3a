// stoker-sim: looks for seeds with which a simulated cluster breaks a promise.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include "simulation/tenant_bursts.hpp"
#include "tools/simulation/attempt.hpp"
#include "tools/simulation/fresh.hpp"

namespace {

using namespace stoker;
using namespace stoker::simulation;
using Clock = std::chrono::steady_clock;

constexpr auto progress_interval = std::chrono::seconds{10};

struct Options {
  std::string seeds = "1..100";
  std::string scenario = "mixed";
  std::string replay;
  double minutes = 0;
  bool all_scenarios = false;
  std::uint64_t fresh = 0;
  std::optional<std::uint64_t> base;
  int jobs = 1;
  std::optional<int> at_most_seconds;
  std::uint64_t at_least = 0;
  bool stats = false;
  bool whole = false;
  bool apart = false;
  bool log = false;
  std::string message_log;
  std::optional<std::uint64_t> trace;
  std::string shares;
  int bursts = 1000;
  bool running = false;
};

std::pair<std::uint64_t, std::uint64_t> range_of(const std::string& text) {
  auto dots = text.find("..");
  try {
    std::size_t end = 0;
    auto first = std::stoull(text, &end);
    if (dots == std::string::npos && end == text.size())
      return {first, first};
    if (dots != std::string::npos && end == dots) {
      auto rest = text.substr(dots + 2);
      auto last = std::stoull(rest, &end);
      if (end == rest.size() && first <= last)
        return {first, last};
    }
  } catch (const std::exception&) {
  }
  throw std::invalid_argument{"--seeds takes a range such as 1..1000, not "
                              + text};
}

/// Runs seeds. Returns the exit status.
int run_seeds(const Options& options) {
  auto [first, last] = range_of(options.seeds);
  auto start = Clock::now();
  auto next_progress = start + progress_interval;
  auto end
      = start
        + std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double, std::ratio<60>>{options.minutes});
  Stats stats;
  Duration simulated{};
  std::uint64_t seeds = 0;
  auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  auto summary = [&](std::ostream& out) {
    using Hours = std::chrono::duration<double, std::ratio<3600>>;
    out << seeds << " seeds, " << Hours{simulated}.count()
        << " simulated hours, " << static_cast<double>(seeds) / seconds()
        << " seeds/s" << std::endl;
  };
  for (auto seed = first; seed <= last || Clock::now() < end; ++seed) {
    auto scenario = invent(options.scenario, seed);
    Outcome outcome;
    if (options.apart)
      outcome.violation = attempt(scenario);
    else
      outcome = run(scenario);
    ++seeds;
    simulated += outcome.simulated;
    stats.add(outcome.stats);
    if (outcome.violation) {
      report_failure(scenario, *outcome.violation, !options.whole);
      return 1;
    }
    if (Clock::now() >= next_progress) {
      summary(std::cerr);
      next_progress += progress_interval;
    }
  }
  if (options.stats)
    for (const auto& [what, times] : stats.all())
      std::cout << times << '\t' << what << '\n';
  summary(std::cout);
  return 0;
}

/// Runs fresh seeds. Returns the exit status.
int run_fresh_seeds(const Options& options) {
  FreshSeeds what;
  what.scenarios = options.all_scenarios
                       ? scenario_names()
                       : std::vector<std::string>{options.scenario};
  what.count = options.fresh;
  what.base = options.base ? *options.base : invent_base();
  what.jobs = options.jobs;
  if (options.at_most_seconds)
    what.at_most = std::chrono::seconds{*options.at_most_seconds};
  what.at_least = options.at_least;
  what.whole = options.whole;
  return run_fresh(what);
}

int replay(const Options& options) {
  std::ifstream in{options.replay};
  if (!in)
    throw std::runtime_error{"cannot read " + options.replay};
  std::ostringstream text;
  text << in.rdbuf();
  std::string problem;
  auto scenario = from_text(text.str(), problem);
  if (!scenario)
    throw std::runtime_error{options.replay + ": " + problem};
  std::ofstream message_log;
  if (!options.message_log.empty())
    message_log.open(options.message_log);
  auto outcome = run(*scenario, options.log ? &std::cout : nullptr,
                     message_log.is_open() ? &message_log : nullptr);
  if (!options.message_log.empty() && !message_log.flush())
    throw std::runtime_error{"cannot write " + options.message_log};
  if (options.stats)
    for (const auto& [what, times] : outcome.stats.all())
      std::cout << times << '\t' << what << '\n';
  std::cout << "digest " << outcome.digest << '\n'
            << outcome.violation.value_or("no promise is broken") << std::endl;
  return outcome.violation ? 1 : 0;
}

/// What shares of a cluster two companies have under bursts. Returns the exit status.
int measure_shares(const Options& options) {
  auto [first, last] = range_of(options.seeds);
  auto broken = false;
  for (auto seed = first; seed <= last; ++seed) {
    TenantBursts what;
    what.seed = seed;
    what.bursts = options.bursts;
    if (options.shares == "growing")
      what.load = TenantBursts::Load::growing_applications;
    else if (options.shares != "applications")
      what.load = TenantBursts::Load::stages;
    what.cap_at_purchased = options.shares == "capped";
    if (options.running)
      what.accounting = Accounting::running;
    auto shares = run(what);
    std::cout << to_text(what, shares) << std::endl;
    broken |= shares.violation.has_value();
  }
  return broken ? 1 : 0;
}

std::string footer() {
  std::string names;
  for (const auto& name : scenario_names())
    names += ' ' + name;
  return "Scenarios:" + names
         + "\nExamples:\n"
           "  stoker-sim --seeds 1..1000\n"
           "  stoker-sim --seeds 1..1 --minutes 10 --scenario leaders\n"
           "  stoker-sim --all-scenarios --fresh 500000 --jobs 2\n"
           "  stoker-sim --trace 17 > trace.txt\n"
           "  stoker-sim --replay trace.txt\n"
           "  stoker-sim --shares capped --seeds 1..10";
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Simulates whole clusters, each from one seed, and ends with "
               "status 1 and the smallest\ntrace that it finds when one "
               "breaks a promise."};
  Options options;
  app.add_option("--seeds", options.seeds, "From one to another, as in 1..100");
  app.add_option("--minutes", options.minutes,
                 "Go on with further seeds for so long");
  app.add_option("--scenario", options.scenario, "What happens")
      ->check(CLI::IsMember(scenario_names()));
  auto* fresh
      = app.add_option("--fresh", options.fresh,
                       "Run so many seeds from a random base on, and report "
                       "all that fail")
            ->check(CLI::PositiveNumber);
  app.add_flag("--all-scenarios", options.all_scenarios,
               "With --fresh: seeds of all scenarios in turn")
      ->needs(fresh);
  app.add_option("--base", options.base,
                 "With --fresh: the first seed of each scenario")
      ->needs(fresh);
  app.add_option("--jobs", options.jobs,
                 "With --fresh: how many processes run them (default: 1)")
      ->needs(fresh)
      ->check(CLI::Range(1, 1024));
  auto* at_most = app.add_option("--at-most", options.at_most_seconds,
                                 "With --fresh: stop after so many seconds")
                      ->needs(fresh)
                      ->check(CLI::PositiveNumber);
  app.add_option("--at-least", options.at_least,
                 "With --at-most: do not stop before so many seeds have run")
      ->needs(at_most);
  app.add_flag("--stats", options.stats, "Print what has happened how often");
  app.add_flag("--whole", options.whole, "Do not make a failing trace smaller");
  app.add_flag("--apart", options.apart,
               "Run each seed in a process of its own, so that a broken "
               "assertion is reported too");
  app.add_option("--trace", options.trace, "Print the scenario of a seed");
  app.add_option("--replay", options.replay, "Run a scenario from a file");
  app.add_flag("--log", options.log, "With --replay: print whatever happens");
  app.add_option("--message-log", options.message_log,
                 "With --replay of jobs: write the driver's message log, for "
                 "'stoker replay'");
  app.add_option("--shares", options.shares,
                 "Measure the shares of two companies whose elastic "
                 "applications want three times the cluster: each burst is an "
                 "application that says what it needs or grows, or one of "
                 "applications that stay, without or with caps")
      ->check(CLI::IsMember({"applications", "growing", "staying", "capped"}));
  app.add_option("--bursts", options.bursts,
                 "With --shares: how many come with each seed");
  app.add_flag("--running", options.running,
               "With --shares: what executors take counts as occupied");
  app.footer(footer());
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.trace) {
      std::cout << to_text(invent(options.scenario, *options.trace));
      return std::cout.flush() ? 0 : 2;
    }
    if (!options.shares.empty())
      return measure_shares(options);
    if (options.fresh > 0)
      return run_fresh_seeds(options);
    return options.replay.empty() ? run_seeds(options) : replay(options);
  } catch (const std::exception& e) {
    std::cerr << "stoker-sim: " << e.what() << std::endl;
    return 2;
  }
}
