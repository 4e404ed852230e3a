#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/clock.hpp"
#include "actors/interfaces.hpp"
#include "storage/file_store.hpp"
#include "storage/file_uses.hpp"

namespace stoker {

struct FileFetcherConfig {
  /// Has the files, or knows who has.
  FileSourceActor source;

  /// Where files are kept that may be needed again.
  FileStoreConfig store;
};

/// The state of the FILE FETCHER.
struct FileFetcherState {
  /// A piece that is asked for.
  static constexpr std::int64_t piece_bytes = std::int64_t{512} << 10;

  struct Order {
    PlaceFiles what;

    /// Those before it are in their place.
    std::size_t next = 0;

    /// The next one was here, and was damaged.
    bool was_damaged = false;
  };

  /// A file that is not here.
  struct Fetch {
    /// Who waits for it, by ticket.
    std::set<std::uint64_t> orders;
    bool is_asked = false;

    /// What came was not what it should be.
    bool was_wrong = false;
  };

  FileFetcherConfig config;
  std::optional<WallClock> clock;
  std::optional<FileStore> store;
  FileUses uses;

  /// By ticket.
  std::map<std::uint64_t, Order> orders;

  /// By sum.
  std::map<std::string, Fetch> fetches;
  bool will_ask_again = false;
  bool looks_at_cache = false;

  /// Names the actor in logs.
  static constexpr const char* name = "file-fetcher";
};

/// Fetches files in pieces, keeps them, and copies them into the directories of programs.
/// What is not answered is asked again, until nobody waits for it. To be spawned detached.
FileFetcherActor::behavior_type
file_fetcher(FileFetcherActor::stateful_pointer<FileFetcherState> self,
             FileFetcherConfig config);

} // namespace stoker
