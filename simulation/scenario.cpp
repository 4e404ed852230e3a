#include "simulation/scenario.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "simulation/dice.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
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

constexpr std::array<Recipe, 57> recipes{{
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
    {"leave-executor", 0, {}, {}, ""},
    {"keep-executor", 0, {}, {}, ""},
    {"pause-executor", 0, {}, {}, ""},
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

/// Adds an item.
void add(Scenario& x, Duration at, const char* what, Duration lasts = {},
         std::int64_t who = 0, std::int64_t other = 0) {
  x.items.push_back({at, what, who, other, lasts});
}

/// The connections of workers break, or of applications, see `disturb_network`.
constexpr std::int64_t of_worker = 2;
constexpr std::int64_t of_application = 1;

/// The leader is stopped, another one takes its lock, and its peers go there. Then
/// that one dies, and peers come back to the first: when it goes on it does not see
/// that it has been replaced.
void add_rivalry(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto pause = dice.lasting(seconds{14}, seconds{25});
  auto end = at + pause - dice.lasting(milliseconds{100}, seconds{2});
  add(x, at, "overlook-lock", pause + seconds{40});
  add(x, at, "pause-leader", pause);
  add(x, at + milliseconds{1}, "replace-lock");
  for (std::int64_t who = 0; who < 6; ++who)
    for (auto whose : {of_worker, of_application})
      if (dice.chance(80))
        add(x, at + dice.lasting(milliseconds{2}, seconds{1}), "break-links",
            {}, who, whose);
  add(x, end, "crash-leader", dice.lasting(seconds{5}, seconds{30}));
}

/// The leader cannot be reached, and loses its lock. Another one leads for a short
/// while, asks a worker to leave, and dies. Then the first leads again, and hears
/// what that worker, which is stopped meanwhile, said long ago.
void add_short_reign(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto isolated = dice.lasting(seconds{6}, seconds{25});
  auto reign = dice.lasting(seconds{1}, seconds{5});
  auto worker = dice.between(0, 11);
  auto begin = at + isolated - reign;
  auto told = begin + dice.lasting(milliseconds{100}, reign);
  add(x, at, "isolate-leader", isolated);
  add(x, begin, "replace-lock");
  add(x, told, "decommission", {}, worker);
  add(x, told - dice.lasting(milliseconds{1}, milliseconds{100}),
      "pause-worker", dice.lasting(seconds{1}, seconds{30}), worker,
      dice.between(0, 1));
  add(x, at + isolated - dice.lasting(milliseconds{1}, seconds{1}),
      "crash-leader", dice.lasting(seconds{5}, seconds{30}));
}

/// The disk hangs when workers come back that have looked for a leader for long, as
/// long as they wait for an answer; sometimes twice in a row.
void add_stalled_store(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto lasts = dice.lasting(seconds{3}, seconds{30});
  add(x, at, "crash-all-masters", lasts);
  at += lasts + dice.lasting(milliseconds{1}, seconds{3});
  if (dice.chance(50)) {
    auto first = dice.lasting(seconds{3}, seconds{5});
    add(x, at, "disk-hangs", first);
    at += first + dice.lasting(milliseconds{1}, milliseconds{50});
  }
  add(x, at, "disk-hangs", dice.lasting(seconds{9}, seconds{12}));
}

/// The leader is stopped: for less time than it takes to replace it, or alone for
/// about as long as somebody may be away.
void add_stalled_leader(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto lasts = dice.lasting(seconds{1}, seconds{11});
  if (x.masters == 1)
    lasts = dice.chance(50) ? dice.lasting(seconds{40}, seconds{62})
                            : dice.lasting(seconds{12}, seconds{15});
  if (dice.chance(50))
    add(x, at - dice.lasting(milliseconds{1}, milliseconds{50}), "break-links",
        {}, dice.between(0, 11), of_worker);
  add(x, at, "pause-leader", lasts, 0, dice.between(0, 1));
}

/// Connections break again and again, while messages are sometimes fast and
/// sometimes slow: what was said over an earlier one comes late.
void add_flapping(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto end = at + dice.lasting(seconds{3}, seconds{15});
  while (at < end) {
    if (dice.chance(40))
      add(x, at, "slow-network", dice.lasting(milliseconds{100}, seconds{2}), 0,
          dice.between(200, 999));
    add(x, at, "break-links", {}, dice.between(0, 11),
        dice.chance(50) ? of_worker : of_application);
    at += dice.lasting(milliseconds{20}, seconds{1});
  }
}

/// An application ends, and its leader does, too, before all of its executors have.
void add_handover(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  for (auto who = dice.between(0, 11), n = dice.between(1, 4); n > 0; --n)
    add(x, at, dice.chance(50) ? "kill-application" : "leave", {}, who + n);
  add(x, at + dice.lasting(milliseconds{10}, seconds{3}), "crash-leader",
      dice.lasting(milliseconds{50}, seconds{20}));
}

/// A leader, a connection, an executor or the application is lost while an application's
/// executors follow its load: when more of them are asked for, or when the last tasks have
/// ended and executors are given back.
void add_lost_ramp(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto who = dice.between(0, 11);
  auto longest = dice.lasting(milliseconds{200}, seconds{3});
  add(x, at, "burst", longest, who, dice.between(0, 899));
  at += dice.chance(60) ? dice.lasting(milliseconds{100}, seconds{5})
                        : longest + dice.lasting(seconds{1}, seconds{12});
  auto lasts = dice.lasting(milliseconds{100}, seconds{20});
  switch (dice.between(0, 6)) {
  case 0:
    return add(x, at, "crash-leader", lasts);
  case 1:
    return add(x, at, "pause-leader", lasts);
  case 2:
    return add(x, at, "crash-all-masters", lasts);
  case 3:
    return add(x, at, "isolate-application", lasts, dice.between(0, 11));
  case 4:
    for (auto n = dice.between(1, 6); n > 0; --n) {
      add(x, at, "kill-program", {}, dice.between(0, 11));
      at += dice.lasting(milliseconds{1}, milliseconds{500});
    }
    return;
  case 5:
    return add(x, at, "crash-application", {}, dice.between(0, 11));
  default:
    return add(x, at, "break-links", {}, dice.between(0, 11), of_application);
  }
}

/// Executors are asked to leave, and some to stay after all. In some runs only, and by
/// dice of their own: the others are as they were without that.
void add_leaving(Scenario& x) {
  Dice dice{x.seed, "leaving"};
  if (!dice.chance(40))
    return;
  for (auto n = dice.between(1, 12); n > 0; --n) {
    auto at = dice.lasting(Duration{0}, x.chaos);
    auto who = dice.between(0, 11);
    add(x, at, "leave-executor", {}, who, dice.between(0, 999));
    if (dice.chance(30))
      add(x, at + dice.lasting(milliseconds{1}, seconds{2}), "keep-executor",
          {}, who);
  }
}

/// Executors stand still, and some go on. In some runs only, and by dice of their own: the
/// others are as they were without that.
void add_pauses(Scenario& x) {
  Dice dice{x.seed, "pauses"};
  if (!dice.chance(30))
    return;
  for (auto n = dice.between(1, 6); n > 0; --n)
    add(x, dice.lasting(Duration{0}, x.chaos), "pause-executor",
        dice.lasting(milliseconds{100}, seconds{60}), dice.between(0, 11));
}

/// What makes a scenario of this name what it is.
void add_theme(const std::string& name, Dice& dice, Scenario& x) {
  if (name == "jobs" || name == "barriers") {
    add_leaving(x);
    add_pauses(x);
  } else if (name == "rivals") {
    // With more of them, another one would lead at once.
    x.masters = 2;
    for (auto n = dice.between(1, 4); n > 0; --n) {
      if (dice.chance(70))
        add_rivalry(dice, x);
      else
        add_short_reign(dice, x);
    }
  } else if (name == "stalls") {
    x.masters = static_cast<int>(dice.between(1, 2));
    for (auto n = dice.between(1, 4); n > 0; --n) {
      if (dice.chance(50))
        add_stalled_store(dice, x);
      else
        add_stalled_leader(dice, x);
    }
  } else if (name == "flapping") {
    for (auto n = dice.between(1, 4); n > 0; --n)
      add_flapping(dice, x);
  } else if (name == "handovers") {
    // What one has given is what the next one needs.
    x.gpus = true;
    x.masters = static_cast<int>(dice.between(2, 3));
    x.workers = static_cast<int>(dice.between(1, 2));
    for (auto n = dice.between(1, 8); n > 0; --n)
      add_handover(dice, x);
  } else if (name == "elastic") {
    for (auto n = dice.between(2, 10); n > 0; --n)
      add_lost_ramp(dice, x);
  }
}

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
