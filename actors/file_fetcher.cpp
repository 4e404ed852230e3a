#include "actors/file_fetcher.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "actors/failure.hpp"
#include "messages/caf_error.hpp"
#include "messages/printable.hpp"
#include "storage/place_file.hpp"

namespace stoker {

namespace {

using FetcherSelf = FileFetcherActor::stateful_pointer<FileFetcherState>;

constexpr std::chrono::milliseconds pause_before_asking_again{500};
constexpr std::chrono::minutes cache_looked_at_every{1};

void go_on(FetcherSelf self, std::uint64_t ticket);
void ask_for(FetcherSelf self, const std::string& sha256);

/// In a worker's cache all files have one owner: whoever is sent one may have it.
FileKey key_in_cache(const std::string& sha256) {
  return {"all", sha256};
}

std::set<FileKey> needed_keys(const FileFetcherState& state) {
  std::set<FileKey> result;
  for (const auto& [ticket, order] : state.orders)
    for (const auto& x : order.what.files)
      result.insert(key_in_cache(x.sha256));
  return result;
}

void end_order(FetcherSelf self, std::uint64_t ticket,
               std::optional<std::string> problem,
               std::optional<int> exit_status = {}) {
  auto& state = self->state;
  if (state.orders.erase(ticket) == 0)
    return;
  for (auto& [sha256, fetch] : state.fetches)
    fetch.orders.erase(ticket);
  self->send(state.config.source,
             FilesPlaced{ticket, std::move(problem), exit_status});
}

/// The next file of an order.
const CommandFile& next_file(const FileFetcherState::Order& order) {
  return order.what.files.at(order.next);
}

void fail_order(FetcherSelf self, std::uint64_t ticket, const std::string& why,
                std::optional<int> exit_status = {}) {
  auto i = self->state.orders.find(ticket);
  if (i != self->state.orders.end())
    end_order(self, ticket,
              "cannot put the file '" + printable(next_file(i->second).name)
                  + "' into the program's directory: " + why,
              exit_status);
}

/// As of a command that cannot be executed, where the program itself is in the way.
std::optional<int> exit_status_of(const Error& x) {
  return x.code == Errc::not_allowed ? std::optional{126} : std::nullopt;
}

// -- fetching -----------------------------------------------------------------

/// As FileStore::put, with room that others give.
Result<std::int64_t> put_in_cache(FileFetcherState& state, const FileKey& key,
                                  std::int64_t bytes, std::int64_t offset,
                                  const std::string& data) {
  for (;;) {
    auto stored
        = state.store->put(key, bytes, offset, data, state.clock->now());
    if (stored || stored.code() != Errc::full)
      return stored;
    auto old = state.uses.take_oldest(needed_keys(state));
    if (!old)
      return stored;
    state.store->remove(*old);
    // With what was stored before it is over: it begins anew.
    if (offset > 0)
      return state.store->put(key, bytes, 0, {}, state.clock->now());
  }
}

/// It is here: those who waited for it go on.
void arrived(FetcherSelf self, const std::string& sha256) {
  auto& state = self->state;
  state.uses.add(key_in_cache(sha256), state.clock->now());
  auto fetch = state.fetches.extract(sha256);
  for (auto ticket : fetch.mapped().orders)
    go_on(self, ticket);
}

void ask_again_later(FetcherSelf self, const std::string& sha256) {
  auto& state = self->state;
  if (auto i = state.fetches.find(sha256); i != state.fetches.end())
    i->second.is_asked = false;
  if (!std::exchange(state.will_ask_again, true))
    self->delayed_send(self, pause_before_asking_again, FetchAgain{});
}

/// One who waited gets it not; others may.
void refused(FetcherSelf self, const std::string& sha256, std::uint64_t ticket,
             const std::string& why) {
  fail_order(self, ticket, why);
  ask_for(self, sha256);
}

/// What the file's source has answered to the question of one who waits, or waited.
void take_piece(FetcherSelf self, const std::string& sha256,
                std::uint64_t ticket, std::int64_t bytes, std::int64_t offset,
                const FilePart& x) {
  auto& state = self->state;
  auto i = state.fetches.find(sha256);
  if (i == state.fetches.end())
    return;
  i->second.is_asked = false;
  if (x.problem)
    return refused(self, sha256, ticket, *x.problem);
  if (x.data.empty())
    return refused(self, sha256, ticket, "the master has sent nothing of it");
  auto stored
      = put_in_cache(state, key_in_cache(sha256), bytes, offset, x.data);
  if (stored && *stored == bytes)
    return arrived(self, sha256);
  // A beginning may have been here that was damaged.
  auto is_wrong = !stored && stored.code() == Errc::invalid_request;
  if (!stored && !(is_wrong && !std::exchange(i->second.was_wrong, true)))
    return refused(self, sha256, ticket, stored.error().message);
  ask_for(self, sha256);
}

bool is_final(const caf::error& e) {
  if (e.category() != caf::atom("stoker"))
    return false;
  auto code = static_cast<Errc>(e.code());
  return code == Errc::not_allowed || code == Errc::not_found
         || code == Errc::invalid_request;
}

/// Asks for the next piece, in the name of one who waits for it.
void ask_for(FetcherSelf self, const std::string& sha256) {
  auto& state = self->state;
  auto i = state.fetches.find(sha256);
  if (i == state.fetches.end() || i->second.is_asked)
    return;
  if (i->second.orders.empty()) {
    state.fetches.erase(i);
    return;
  }
  auto ticket = *i->second.orders.begin();
  const auto& order = state.orders.at(ticket);
  auto bytes = next_file(order).bytes;
  auto stored = put_in_cache(state, key_in_cache(sha256), bytes, 0, {});
  if (!stored)
    return refused(self, sha256, ticket, stored.error().message);
  if (*stored == bytes)
    return arrived(self, sha256);
  i->second.is_asked = true;
  auto question = order.what.question;
  question.sha256 = sha256;
  question.offset = *stored;
  question.limit = FileFetcherState::piece_bytes;
  self->request(state.config.source, caf::infinite, question)
      .then(
          [self, sha256, ticket, bytes, offset = *stored](const FilePart& x) {
            take_piece(self, sha256, ticket, bytes, offset, x);
          },
          [self, sha256, ticket](const caf::error& e) {
            if (!is_final(e))
              return ask_again_later(self, sha256);
            if (auto found = self->state.fetches.find(sha256);
                found != self->state.fetches.end())
              found->second.is_asked = false;
            refused(self, sha256, ticket, self->system().render(e));
          });
}

void fetch_again(FetcherSelf self) {
  auto& state = self->state;
  state.will_ask_again = false;
  std::vector<std::string> all;
  for (const auto& [sha256, fetch] : state.fetches)
    all.push_back(sha256);
  for (const auto& sha256 : all)
    ask_for(self, sha256);
}

// -- placing ------------------------------------------------------------------

void wait_for(FetcherSelf self, std::uint64_t ticket,
              const std::string& sha256) {
  self->state.fetches[sha256].orders.insert(ticket);
  ask_for(self, sha256);
}

/// Puts the files of an order that are here into their place.
void go_on(FetcherSelf self, std::uint64_t ticket) {
  auto& state = self->state;
  auto i = state.orders.find(ticket);
  if (i == state.orders.end())
    return;
  auto& order = i->second;
  auto directory = open_own_directory(order.what.directory);
  if (!directory)
    return fail_order(self, ticket, directory.error().message,
                      exit_status_of(directory.error()));
  for (; order.next < order.what.files.size(); ++order.next) {
    const auto& file = next_file(order);
    auto key = key_in_cache(file.sha256);
    // By its key: the order may end meanwhile.
    if (!state.store->size(key))
      return wait_for(self, ticket, key.sha256);
    state.uses.use(key, state.clock->now());
    auto placed = place_file(state.store->path_of(key), file, directory->get());
    if (!placed
        && (placed.code() != Errc::corrupt
            || std::exchange(order.was_damaged, true)))
      return fail_order(self, ticket, placed.error().message,
                        exit_status_of(placed.error()));
    if (!placed) {
      // Programs run as the same user, and can change it here.
      state.store->remove(key);
      state.uses.remove(key);
      return wait_for(self, ticket, key.sha256);
    }
    order.was_damaged = false;
  }
  end_order(self, ticket, std::nullopt);
}

// -- the cache ----------------------------------------------------------------

void look_at_cache_later(FetcherSelf self) {
  if (!std::exchange(self->state.looks_at_cache, true))
    self->delayed_send(self, cache_looked_at_every, CheckFileCache{});
}

void check_cache(FetcherSelf self) {
  auto& state = self->state;
  auto now = state.clock->now();
  for (const auto& key : needed_keys(state))
    state.uses.use(key, now);
  for (const auto& key : state.uses.take_old(now))
    state.store->remove(key);
  if (state.fetches.empty())
    state.store->remove_old_beginnings(now);
  state.looks_at_cache = false;
  if (state.store->used() > 0 || !state.orders.empty())
    look_at_cache_later(self);
}

/// What a dead worker has left.
void open_cache(FetcherSelf self) {
  auto& state = self->state;
  auto found = state.store->open(state.clock->now());
  if (!found)
    return spdlog::warn("[files-not-found] files are fetched again: {}",
                        found.error().message);
  state.uses.reset(*found, state.clock->now());
  if (state.store->used() > 0)
    look_at_cache_later(self);
}

} // namespace

FileFetcherActor::behavior_type file_fetcher(FetcherSelf self,
                                             FileFetcherConfig config) {
  handle_the_unexpected(self);
  auto& state = self->state;
  state.clock.emplace(self->clock());
  state.store.emplace(config.store);
  state.config = std::move(config);
  open_cache(self);
  return {
      [self](const PlaceFiles& x) {
        self->state.orders[x.ticket] = {x};
        look_at_cache_later(self);
        go_on(self, x.ticket);
      },
      [self](const AbandonFiles& x) {
        auto& own = self->state;
        own.orders.erase(x.ticket);
        for (auto& [sha256, fetch] : own.fetches)
          fetch.orders.erase(x.ticket);
      },
      [self](const FetchAgain&) { fetch_again(self); },
      [self](const CheckFileCache&) { check_cache(self); },
  };
}

} // namespace stoker
