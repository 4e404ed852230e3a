#include "simulation/scenario.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "simulation/dice.hpp"
#include "simulation/scenario_themes.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How an item is invented: how often, for how long, and which scenarios have
/// it besides `mixed`.
struct Recipe {
  const char* what;
  int weight;
  Duration shortest;
  Duration longest;
  const char* scenarios;
};

constexpr auto all_load
    = "calm crashes network disk leaders rivals stalls flapping handovers";

constexpr std::array<Recipe, 62> recipes{{
    {"start-application", 30, {}, {}, all_load},
    {"submit-driver", 14, {}, {}, all_load},
    {"leave", 5, {}, {}, all_load},
    {"ask-for", 10, {}, {}, all_load},
    {"kill-executor", 6, {}, {}, all_load},
    {"kill-application", 3, {}, {}, all_load},
    {"kill-driver", 5, {}, {}, all_load},
    {"decommission", 2, {}, {}, "calm crashes"},
    {"stop-worker", 2, {}, {}, "calm crashes"},
    {"reload-tenants", 2, {}, {}, "calm leaders"},
    {"kill-program", 6, {}, {}, "calm crashes rivals stalls handovers"},
    {"kill-supervisor", 4, {}, {}, "crashes"},
    {"kill-all-programs", 2, {}, {}, "crashes"},
    {"sick-worker", 2, seconds{1}, seconds{60}, "crashes"},
    {"crash-application", 2, {}, {}, "crashes"},
    {"crash-worker", 5, milliseconds{100}, seconds{20}, "crashes"},
    {"crash-machine", 3, seconds{1}, seconds{40}, "crashes"},
    {"pause-worker", 2, seconds{1}, seconds{90}, "crashes"},
    {"crash-master", 8, milliseconds{50}, seconds{20}, "crashes leaders disk"},
    {"crash-all-masters", 3, milliseconds{50}, seconds{10}, "leaders"},
    {"pause-master", 4, milliseconds{500}, seconds{90}, "leaders"},
    {"replace-lock", 3, {}, {}, "leaders"},
    {"clock-jump", 2, {}, {}, "leaders"},
    {"disk-full", 3, milliseconds{100}, seconds{8}, "disk leaders"},
    {"disk-error", 3, milliseconds{100}, seconds{8}, "disk"},
    {"disk-hangs", 3, seconds{1}, seconds{60}, "disk"},
    {"disk-slow", 4, milliseconds{500}, seconds{20}, "disk leaders"},
    {"break-links", 8, {}, {}, "network leaders"},
    {"isolate-worker", 4, seconds{4}, seconds{120}, "network"},
    {"isolate-application", 3, milliseconds{500}, seconds{40}, "network"},
    {"isolate-master", 3, milliseconds{500}, seconds{120}, "network leaders"},
    {"slow-network", 3, seconds{1}, seconds{20}, "network"},
    {"start-elastic", 12, {}, {}, "elastic"},
    {"burst", 60, milliseconds{200}, seconds{8}, "elastic"},
    {"start-gang", 40, {}, {}, "gangs"},
    {"ask-for-gang", 10, {}, {}, "gangs"},
    // Only where something else is put around it, see below.
    {"overlook-lock", 0, {}, {}, ""},
    {"pause-leader", 0, {}, {}, ""},
    {"crash-leader", 0, {}, {}, ""},
    {"isolate-leader", 0, {}, {}, ""},
    {"start-limited", 0, {}, {}, ""},
    {"leave-executor", 0, {}, {}, ""},
    {"keep-executor", 0, {}, {}, ""},
    {"pause-executor", 0, {}, {}, ""},
    {"start-read", 0, {}, {}, ""},
    {"read-slowly", 0, {}, {}, ""},
    {"stop-reading", 0, {}, {}, ""},
    {"damage-output", 0, {}, {}, ""},
    // Of a driver and its jobs.
    {"submit-job", 30, {}, {}, "jobs"},
    {"submit-gangs", 30, {}, {}, "barriers"},
    {"cancel-job", 3, {}, {}, "jobs"},
    {"release-stages", 3, {}, {}, "jobs"},
    {"crash-executor", 10, {}, {}, "jobs"},
    {"end-executor", 4, {}, {}, "jobs"},
    {"lose-machine", 5, seconds{1}, seconds{40}, "jobs"},
    {"hide-outputs", 5, milliseconds{100}, seconds{20}, "jobs"},
    {"damage-outputs", 8, {}, {}, "jobs"},
    {"break-executor-link", 6, {}, {}, "jobs"},
    {"fail-tasks", 8, milliseconds{100}, seconds{10}, "jobs"},
    {"slow-executor", 5, seconds{1}, seconds{30}, "jobs"},
    {"slow-messages", 5, seconds{1}, seconds{20}, "jobs"},
    {"fill-disk", 4, seconds{1}, seconds{40}, "jobs"},
}};

bool is_part_of(const Recipe& recipe, const std::string& name) {
  std::string scenarios = recipe.scenarios;
  auto is_of_driver = scenarios == "jobs" || scenarios == "barriers";
  if (name == "barriers")
    return is_of_driver;
  if (name == "mixed")
    return !is_of_driver && scenarios != "elastic" && scenarios != "gangs";
  if (name == "elastic")
    return !is_of_driver && scenarios != "gangs";
  if (name == "gangs")
    return !is_of_driver && scenarios != "elastic";
  return scenarios.find(name) != std::string::npos;
}

} // namespace

std::vector<std::string> scenario_names() {
  return {"mixed",   "calm",   "crashes", "network",  "disk",
          "leaders", "rivals", "stalls",  "flapping", "handovers",
          "elastic", "gangs",  "jobs",    "barriers"};
}

Scenario invent(const std::string& name, std::uint64_t seed) {
  Dice dice{seed, "scenario " + name};
  Scenario result;
  result.seed = seed;
  result.masters = static_cast<int>(dice.between(1, 3));
  result.workers = static_cast<int>(dice.between(1, 5));
  result.gpus = dice.chance(50);
  result.tenants = dice.chance(25);
  result.chaos = seconds{dice.between(20, 150)};
  auto is_of_jobs = name == "jobs" || name == "barriers";
  if (is_of_jobs) {
    result.executors = static_cast<int>(dice.between(1, 6));
    // What its text does not say.
    result.masters = Scenario{}.masters;
    result.gpus = result.tenants = false;
  }
  std::vector<const Recipe*> urn;
  for (const auto& recipe : recipes)
    if (is_part_of(recipe, name))
      urn.insert(urn.end(), static_cast<std::size_t>(recipe.weight), &recipe);
  auto count = dice.between(4, 50);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& recipe = *dice.any_of(urn);
    Item item;
    item.at = dice.lasting(Duration{0}, result.chaos);
    // Something runs before something happens to it.
    if (i < 3) {
      item.what = name == "barriers"  ? "submit-gangs"
                  : is_of_jobs        ? "submit-job"
                  : i == 1            ? "submit-driver"
                  : name == "elastic" ? "start-elastic"
                  : name == "gangs"   ? "start-gang"
                                      : "start-application";
      item.at /= 8;
    } else {
      item.what = recipe.what;
    }
    item.who = dice.between(0, 11);
    item.other = dice.between(0, 999);
    item.lasts = dice.lasting(recipe.shortest, recipe.longest);
    result.items.push_back(std::move(item));
  }
  add_theme(name, dice, result);
  std::stable_sort(result.items.begin(), result.items.end(),
                   [](const Item& a, const Item& b) { return a.at < b.at; });
  return result;
}

// -- text ---------------------------------------------------------------------

bool changes_rules(const Scenario& x) {
  return std::any_of(x.items.begin(), x.items.end(), [](const Item& item) {
    return item.what == "reload-tenants";
  });
}

std::string to_text(const Scenario& x) {
  std::ostringstream out;
  if (x.executors > 0)
    out << "driver seed=" << x.seed << " executors=" << x.executors
        << " machines=" << x.workers << " chaos=" << x.chaos.count() << '\n';
  else
    out << "cluster seed=" << x.seed << " masters=" << x.masters
        << " workers=" << x.workers << " gpus=" << x.gpus
        << " tenants=" << x.tenants << " chaos=" << x.chaos.count() << '\n';
  for (const auto& item : x.items)
    out << item.at.count() << ' ' << item.what << " who=" << item.who
        << " other=" << item.other << " lasts=" << item.lasts.count() << '\n';
  return out.str();
}

namespace {

/// Reads `name=123`.
bool read(std::istringstream& in, const char* name, std::int64_t& value) {
  std::string word;
  if (!(in >> word))
    return false;
  auto prefix = std::string{name} + '=';
  if (!word.starts_with(prefix))
    return false;
  std::istringstream number{word.substr(prefix.size())};
  return (number >> value) && number.eof();
}

bool read_cluster(std::istringstream& in, Scenario& x) {
  std::int64_t seed = 0;
  std::int64_t masters = 0;
  std::int64_t workers = 0;
  std::int64_t gpus = 0;
  std::int64_t tenants = 0;
  std::int64_t chaos = 0;
  if (!read(in, "seed", seed) || !read(in, "masters", masters)
      || !read(in, "workers", workers) || !read(in, "gpus", gpus)
      || !read(in, "tenants", tenants) || !read(in, "chaos", chaos)
      || masters < 1 || masters > 9 || workers < 1 || workers > 99)
    return false;
  x.seed = static_cast<std::uint64_t>(seed);
  x.masters = static_cast<int>(masters);
  x.workers = static_cast<int>(workers);
  x.gpus = gpus != 0;
  x.tenants = tenants != 0;
  x.chaos = Duration{chaos};
  return true;
}

bool read_driver(std::istringstream& in, Scenario& x) {
  std::int64_t seed = 0;
  std::int64_t executors = 0;
  std::int64_t machines = 0;
  std::int64_t chaos = 0;
  if (!read(in, "seed", seed) || !read(in, "executors", executors)
      || !read(in, "machines", machines) || !read(in, "chaos", chaos)
      || executors < 1 || executors > 99 || machines < 1 || machines > 99)
    return false;
  x.seed = static_cast<std::uint64_t>(seed);
  x.executors = static_cast<int>(executors);
  x.workers = static_cast<int>(machines);
  x.chaos = Duration{chaos};
  return true;
}

bool read_item(std::istringstream& in, const std::string& first, Item& x) {
  std::int64_t at = 0;
  std::int64_t lasts = 0;
  std::istringstream number{first};
  if (!(number >> at) || !number.eof() || !(in >> x.what)
      || !read(in, "who", x.who) || !read(in, "other", x.other)
      || !read(in, "lasts", lasts))
    return false;
  x.at = Duration{at};
  x.lasts = Duration{lasts};
  return std::any_of(recipes.begin(), recipes.end(),
                     [&](const Recipe& y) { return x.what == y.what; });
}

} // namespace

std::optional<Scenario> from_text(const std::string& text,
                                  std::string& problem) {
  Scenario result;
  std::istringstream lines{text};
  std::string line;
  auto has_cluster = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream in{line};
    std::string first;
    if (!(in >> first) || first.starts_with('#') || first == "seed"
        || first == "scenario")
      continue;
    Item item;
    auto is_cluster = first == "cluster" || first == "driver";
    if (first == "cluster"  ? read_cluster(in, result)
        : first == "driver" ? read_driver(in, result)
                            : read_item(in, first, item)) {
      has_cluster |= is_cluster;
      if (!is_cluster)
        result.items.push_back(std::move(item));
      continue;
    }
    problem = "line " + std::to_string(number) + " cannot be read: " + line;
    return std::nullopt;
  }
  if (has_cluster)
    return result;
  problem = R"(there is no line that begins with "cluster" or "driver")";
  return std::nullopt;
}

} // namespace stoker::simulation
