#include "actors/history.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "storage/monthly_use.hpp"
#include "storage/replay_steps.hpp"

namespace stoker {

namespace {

using HistorySelf = HistoryActor::stateful_pointer<HistoryState>;
using std::chrono::milliseconds;

/// What is new is gathered for so long: one transaction for many ends.
constexpr milliseconds written_every{100};

/// Before the next try, after a failure.
constexpr milliseconds failure_pause{1'000};

constexpr Duration cleaned_every = std::chrono::minutes{1};

void follow(HistorySelf self);

void tick_in(HistorySelf self, milliseconds pause) {
  if (std::exchange(self->state.will_tick, true))
    return;
  self->delayed_send(self, pause, HistoryTick{});
}

void take(HistorySelf self, std::vector<HistoryChange> changes) {
  auto& to = self->state.unwritten;
  to.insert(to.end(), std::make_move_iterator(changes.begin()),
            std::make_move_iterator(changes.end()));
  if (!to.empty())
    tick_in(self, self->state.fails ? failure_pause : written_every);
}

Status open_store(HistoryState& state) {
  if (state.store && !state.store->has_its_file()) {
    spdlog::error("[history-lost] {} was removed or replaced while it was "
                  "written; what it had is not in the history any more, which "
                  "goes on in the file that is there, or in a new one",
                  state.config.path);
    state.store.reset();
  }
  if (state.store)
    return {};
  auto opened = HistoryStore::open(state.config.path, state.config.limits);
  if (!opened)
    return std::move(opened).error();
  state.store = *std::move(opened);
  return {};
}

/// Tells once that a clock ran ahead, of this machine or of the one that led before.
void tell_of_clock(HistoryState& state) {
  if (auto mark = state.store->take_mark_ahead())
    spdlog::warn(
        "[history-clock] what ended before {} UTC counted as "
        "removed from the history, and that is not over yet: a clock ran "
        "ahead; what ends from now on is kept and counted",
        utc_time(*mark));
}

/// Writes all that is new.
Status write(HistoryState& state) {
  auto status = open_store(state);
  if (status)
    status = state.store->put(state.unwritten, state.clock->now());
  if (status) {
    tell_of_clock(state);
    state.unwritten.clear();
    if (std::exchange(state.fails, false))
      spdlog::info("[history-written] the history is written again");
    return status;
  }
  // Somebody may mend or remove the file.
  state.store.reset();
  if (!std::exchange(state.fails, true))
    spdlog::error("[history-not-written] what ends is not written to the "
                  "history until this is mended: {}",
                  status.error().message);
  return status;
}

/// Removes old entries, if it is time. Returns whether there may be more.
bool clean(HistoryState& state) {
  auto now = state.clock->now();
  if (state.cleaned && now - *state.cleaned < cleaned_every)
    return false;
  auto removed = state.store->remove_old(now);
  tell_of_clock(state);
  auto is_more = removed && *removed;
  if (!is_more)
    state.cleaned = now;
  return is_more;
}

/// Where there are fewer cores than work, who commits goes first: an end may be written
/// later.
void give_way(HistoryState& state) {
  constexpr int niceness = 10;
  if (state.config.has_own_thread && !std::exchange(state.gives_way, true))
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

void tick(HistorySelf self) {
  auto& state = self->state;
  state.will_tick = false;
  give_way(state);
  if (!write(state))
    return tick_in(self, failure_pause);
  if (clean(state))
    tick_in(self, written_every);
  if (!state.follows)
    follow(self);
}

/// The master has ended, and its feed with it: what is new is written before this ends.
void stop(HistorySelf self) {
  auto& state = self->state;
  if (!state.unwritten.empty())
    (void)write(state);
  state.own = nullptr;
  self->quit();
}

void follow(HistorySelf self) {
  auto& state = self->state;
  state.follows = state.unwritten.size() < HistoryState::unwritten_max;
  if (!state.follows)
    return;
  self->request(state.config.feed, caf::infinite,
                FollowChanges{state.follower.position()})
      .then(
          [self](const FeedUpdate& x) {
            take(self, self->state.follower.follow(x));
            follow(self);
          },
          // That the feed has ended is told otherwise.
          [](const caf::error&) {});
}

bool has(const RequestUse& x, const MonthlyUse& use) {
  return (!x.from || use.month >= *x.from) && (!x.to || use.month <= *x.to)
         && (!x.company || use.company == x.company)
         && (!x.user || use.user == *x.user);
}

/// In the order of UseResponse.
UseResponse sum_of(const UseResponse& ended,
                   const std::vector<MonthlyUse>& present,
                   const RequestUse& asked) {
  using Key = std::tuple<std::string, std::optional<std::string>, std::string>;
  std::map<Key, MonthlyUse> sums;
  auto sum = [&](const MonthlyUse& x) {
    auto [i, added] = sums.try_emplace(Key{x.month, x.company, x.user}, x);
    if (!added)
      add(i->second, x);
  };
  for (const auto& x : ended.months)
    sum(x);
  for (const auto& x : present)
    if (has(asked, x))
      sum(x);
  UseResponse result;
  for (auto& [key, use] : sums)
    result.months.push_back(std::move(use));
  std::stable_sort(
      result.months.begin(), result.months.end(),
      [](const auto& a, const auto& b) { return a.month > b.month; });
  return result;
}

/// Answers out of the store, which has all that is new, and what was too old a minute ago
/// no more.
template <class T, class Ask>
caf::result<T> answer(HistorySelf self, Ask&& ask) {
  auto& state = self->state;
  if (auto status = write(state); !status)
    return to_caf_error(status.error());
  if (clean(state))
    tick_in(self, written_every);
  Result<T> result = ask(*state.store);
  if (!result)
    return to_caf_error(result.error());
  return *std::move(result);
}

} // namespace

HistoryActor::behavior_type history(HistorySelf self, HistoryConfig config) {
  handle_the_unexpected(self);
  self->state.config = std::move(config);
  self->state.clock.emplace(self->clock());
  self->state.own = HistoryActor{self};
  self->set_down_handler([self](const caf::down_msg&) { stop(self); });
  self->monitor(self->state.config.feed);
  follow(self);
  return {
      [self](const ReportJobs& x) { take(self, self->state.follower.note(x)); },
      [self](const RequestHistory& x) {
        return answer<HistoryResponse>(
            self, [&](HistoryStore& store) { return store.find(x); });
      },
      [self](const RequestUse& x) {
        return answer<UseResponse>(
            self, [&](HistoryStore& store) -> Result<UseResponse> {
              auto ended = store.use(x);
              if (!ended)
                return ended;
              const auto& state = self->state;
              return sum_of(*ended,
                            state.follower.present_use(state.clock->now()), x);
            });
      },
      [self](const HistoryTick&) { tick(self); },
  };
}

} // namespace stoker
