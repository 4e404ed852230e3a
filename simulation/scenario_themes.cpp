#include "simulation/scenario_themes.hpp"

namespace stoker::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

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

/// Room that is kept for a gang is lent: what runs has time limits, and so have small
/// applications that come later. In some runs only, and by dice of their own: the others
/// are as they were without that.
void add_lending(Scenario& x) {
  Dice dice{x.seed, "lending"};
  if (!dice.chance(50))
    return;
  auto limited = [&](Duration at, Duration lasts) {
    add(x, at, "start-limited", lasts, dice.between(0, 11),
        dice.between(0, 999));
  };
  for (auto n = dice.between(1, 3); n > 0; --n) {
    auto at = dice.lasting(Duration{0}, x.chaos);
    for (auto m = dice.between(1, 4); m > 0; --m)
      limited(at, dice.lasting(seconds{20}, seconds{90}));
    at += dice.lasting(milliseconds{100}, seconds{3});
    for (auto m = dice.between(1, 3); m > 0; --m)
      add(x, at, "start-gang", {}, dice.between(0, 11), dice.between(0, 999));
    for (auto m = dice.between(1, 6); m > 0; --m) {
      at += dice.lasting(milliseconds{100}, seconds{8});
      if (dice.chance(30))
        add(x, at, "start-application", {}, dice.between(0, 11),
            dice.between(0, 999));
      else
        limited(at, dice.lasting(seconds{1}, seconds{20}));
    }
  }
}

/// Applications whose output is read: at full speed, slowly, or not at all for a time. Some
/// readers stop for ever. In some runs only, and by dice of their own: the others are as
/// they were without that.
void add_reading(Scenario& x) {
  Dice dice{x.seed, "reading"};
  if (!dice.chance(30))
    return;
  for (auto n = dice.between(1, 4); n > 0; --n)
    add(x, dice.lasting(Duration{0}, x.chaos / 2), "start-read", {}, 0,
        dice.between(0, 999));
  for (auto n = dice.between(1, 8); n > 0; --n) {
    auto at = dice.lasting(Duration{0}, x.chaos);
    auto who = dice.between(0, 11);
    switch (dice.between(0, 9)) {
    case 0:
      add(x, at, "damage-output", {}, who, dice.between(0, 999));
      break;
    case 1:
      // For ever.
      add(x, at, "stop-reading", {}, who);
      break;
    case 2:
    case 3:
    case 4:
    case 5:
      add(x, at, "stop-reading", dice.lasting(seconds{1}, seconds{90}), who);
      break;
    default:
      add(x, at, "read-slowly", dice.lasting(seconds{1}, seconds{90}), who,
          dice.between(0, 999));
    }
  }
}

} // namespace

void add_theme(const std::string& name, Dice& dice, Scenario& x) {
  if (name == "jobs" || name == "barriers") {
    add_leaving(x);
    add_pauses(x);
  } else if (name == "mixed" || name == "calm" || name == "crashes"
             || name == "network") {
    add_reading(x);
  } else if (name == "gangs") {
    add_lending(x);
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
    add_reading(x);
  } else if (name == "elastic") {
    for (auto n = dice.between(2, 10); n > 0; --n)
      add_lost_ramp(dice, x);
  }
}

} // namespace stoker::simulation
