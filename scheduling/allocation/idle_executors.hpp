#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scheduling/allocation/cached_blocks.hpp"
#include "scheduling/common/instant.hpp"

namespace stoker {

/// An application's executors: which of them have had nothing to do for so long that
/// they may go.
///
///              +-- begin_task ---+
///              v                 |
///            busy --end_task--> idle --its time--> due --ask--> asked --going--> leaving
///                                ^                               |
///                                +------------- staying ---------+
///
/// An executor with cached blocks may be idle for longer. It is what it has at the moment
/// that counts, from the same begin of its idleness. Whatever is said of an executor that
/// is not known changes nothing. Time never goes back.
class IdleExecutors {
public:
  /// @param cached_timeout unset: one with cached blocks may be idle for ever.
  IdleExecutors(Duration timeout, std::optional<Duration> cached_timeout);

  // -- what happens -----------------------------------------------------------

  /// One that is new is idle from now on.
  void add(Instant now, int exec_id);

  void remove(int exec_id);

  /// Tells executors apart that had the same id one after the other; 0: of none.
  using Serial = std::uint32_t;

  /// Returns whose task it is, which `end_task` has to know.
  Serial begin_task(int exec_id);

  void end_task(Instant now, int exec_id, Serial serial);
  void store_block(int exec_id, int dataset, int partition);
  void drop_block(int exec_id, int dataset, int partition);
  void drop_dataset(int dataset);

  // -- who may go -------------------------------------------------------------

  /// Finds out whose time is over. Costs what has become due since it was called last.
  void look(Instant now);

  /// When `look` finds the next one; unset: nobody's time runs.
  [[nodiscard]] std::optional<Instant> next_look() const {
    return waiting_.empty() ? std::nullopt
                            : std::optional{waiting_.begin()->first};
  }

  /// What the last `look` found, and still holds.
  [[nodiscard]] bool any_due() const noexcept {
    return !due_.empty();
  }

  /// The first of them, by their ids as text: "10" before "2". Costs `count`.
  [[nodiscard]] std::vector<int> first_due(std::size_t count) const;

  /// The same of all that are idle and without cached blocks, whether their time is over
  /// or not. Costs what is idle.
  [[nodiscard]] std::vector<int> first_idle(std::size_t count) const;

  /// They may go, if the cluster agrees.
  /// @pre they are idle
  void ask(const std::vector<int>& exec_ids);

  /// Of those asked, which leave; the others may be asked again.
  void answer(const std::vector<int>& asked, const std::vector<int>& leaving);

  /// All that were added and not removed.
  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(executors_.size());
  }
  [[nodiscard]] std::int64_t leaving() const noexcept {
    return leaving_;
  }

private:
  /// In which index it is.
  enum class Place : std::uint8_t { none, waiting, due };

  struct Executor {
    Serial serial = 0;
    int tasks = 0;
    Place place = Place::none;
    bool asked = false;
    bool leaving = false;
    Instant idle_since;

    /// As it stands in the index.
    Instant deadline;
  };

  struct AsText {
    bool operator()(int a, int b) const;
  };

  Executor* find(int exec_id);
  [[nodiscard]] static std::vector<int> first(const std::set<int, AsText>& x,
                                              std::size_t count);
  [[nodiscard]] std::optional<Instant> deadline(int exec_id,
                                                const Executor& x) const;

  /// Puts it where it belongs.
  void place(int exec_id, Executor& x);
  void take_out(int exec_id, Executor& x);

  Duration timeout_;
  std::optional<Duration> cached_timeout_;
  std::unordered_map<int, Executor> executors_;
  CachedBlocks blocks_;
  std::set<std::pair<Instant, int>> waiting_;
  std::set<int, AsText> due_;
  std::int64_t leaving_ = 0;
  Serial last_serial_ = 0;
};

} // namespace stoker
