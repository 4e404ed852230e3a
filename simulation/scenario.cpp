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

constexpr std::array<Recipe, 35> recipes{{
    {"start-application",
     30,
     {},
     {},
     "calm crashes network disk leaders rivals"},
    {"submit-driver", 14, {}, {}, "calm crashes network disk leaders rivals"},
    {"leave", 5, {}, {}, "calm crashes network disk leaders rivals"},
    {"ask-for", 10, {}, {}, "calm crashes network disk leaders rivals"},
    {"kill-executor", 6, {}, {}, "calm crashes network disk leaders rivals"},
    {"kill-application", 3, {}, {}, "calm crashes network disk leaders rivals"},
    {"kill-driver", 5, {}, {}, "calm crashes network disk leaders rivals"},
    {"decommission", 2, {}, {}, "calm crashes"},
    {"stop-worker", 2, {}, {}, "calm crashes"},
    {"reload-tenants", 2, {}, {}, "calm leaders"},
    {"kill-program", 6, {}, {}, "calm crashes rivals"},
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
    // Only with what `add_rivalry` puts around it.
    {"overlook-lock", 0, {}, {}, ""},
    {"pause-leader", 0, {}, {}, ""},
    {"crash-leader", 0, {}, {}, ""},
}};

/// The leader is stopped, another one takes its lock, and its peers go there. Then
/// that one dies, and peers come back to the first: when it goes on it does not see
/// that it has been replaced.
void add_rivalry(Dice& dice, Scenario& x) {
  auto at = dice.lasting(seconds{5}, x.chaos);
  auto pause = dice.lasting(seconds{14}, seconds{25});
  auto end = at + pause - dice.lasting(milliseconds{100}, seconds{2});
  auto add = [&](Duration when, const char* what, std::int64_t who,
                 std::int64_t other, Duration lasts) {
    x.items.push_back({when, what, who, other, lasts});
  };
  add(at, "overlook-lock", 0, 0, pause + seconds{40});
  add(at, "pause-leader", 0, 0, pause);
  add(at + milliseconds{1}, "replace-lock", 0, 0, {});
  for (std::int64_t who = 0; who < 6; ++who) {
    // Workers and applications, see `disturb_network`.
    for (std::int64_t other : {2, 1})
      if (dice.chance(80))
        add(at + dice.lasting(milliseconds{2}, seconds{1}), "break-links", who,
            other, {});
  }
  add(end, "crash-leader", 0, 0, dice.lasting(seconds{5}, seconds{30}));
}

bool is_part_of(const Recipe& recipe, const std::string& name) {
  return name == "mixed"
         || std::string{recipe.scenarios}.find(name) != std::string::npos;
}

} // namespace

std::vector<std::string> scenario_names() {
  return {"mixed", "calm", "crashes", "network", "disk", "leaders", "rivals"};
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
      item.what = i == 1 ? "submit-driver" : "start-application";
      item.at /= 8;
    } else {
      item.what = recipe.what;
    }
    item.who = dice.between(0, 11);
    item.other = dice.between(0, 999);
    item.lasts = dice.lasting(recipe.shortest, recipe.longest);
    result.items.push_back(std::move(item));
  }
  if (name == "rivals") {
    // With more of them, another one would lead at once.
    result.masters = 2;
    for (auto n = dice.between(1, 4); n > 0; --n)
      add_rivalry(dice, result);
  }
  std::stable_sort(result.items.begin(), result.items.end(),
                   [](const Item& a, const Item& b) { return a.at < b.at; });
  return result;
}

// -- text ---------------------------------------------------------------------

std::string to_text(const Scenario& x) {
  std::ostringstream out;
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
    if (!(in >> first) || first.starts_with('#'))
      continue;
    Item item;
    if (first == "cluster" ? read_cluster(in, result)
                           : read_item(in, first, item)) {
      has_cluster |= first == "cluster";
      if (first != "cluster")
        result.items.push_back(std::move(item));
      continue;
    }
    problem = "line " + std::to_string(number) + " cannot be read: " + line;
    return std::nullopt;
  }
  if (has_cluster)
    return result;
  problem = "there is no line that begins with \"cluster\"";
  return std::nullopt;
}

} // namespace stoker::simulation
