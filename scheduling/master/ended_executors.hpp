#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/mem_fun.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>

#include "messages/end_number.hpp"
#include "scheduling/master/late_end.hpp"
#include "scheduling/master/stored.hpp"

namespace stoker {

/// It ran to an end as it was meant to.
inline bool ended_well(const StoredExecutor& x) {
  return x.state == ExecutorState::EXITED && x.exit_status == 0;
}

/// The last executors of an application that ended, in the order of their ends.
///
/// Beyond those that are kept for viewing, it keeps what somebody will need:
/// - ends of instances that the application has not heard of. It would wait for
///   them, and for what they wrote, for ever.
/// - Lost attempts at instances that are not done: their worker may come back with
///   them, or with their good end.
class EndedExecutors {
  struct Entry {
    StoredExecutor stored;

    /// It is a lost attempt at an instance that is not done.
    bool may_come_back = false;

    [[nodiscard]] std::uint64_t number() const {
      return stored.end_number;
    }
    [[nodiscard]] int exec_id() const {
      return stored.exec_id;
    }

    /// By which those that may be forgotten stand first, oldest first.
    [[nodiscard]] std::pair<bool, std::uint64_t> age() const {
      return {may_come_back, stored.end_number};
    }

    /// What comes back may be an attempt at this instance; -1: at none.
    [[nodiscard]] int index_to_come() const {
      return may_come_back ? *stored.index : -1;
    }
  };

  struct ByNumber {};
  struct ById {};
  struct ByAge {};
  struct ByIndex {};

  using Table = boost::multi_index_container<
      Entry,
      boost::multi_index::indexed_by<
          boost::multi_index::ordered_unique<
              boost::multi_index::tag<ByNumber>,
              boost::multi_index::const_mem_fun<Entry, std::uint64_t,
                                                &Entry::number>>,
          boost::multi_index::hashed_unique<
              boost::multi_index::tag<ById>,
              boost::multi_index::const_mem_fun<Entry, int, &Entry::exec_id>>,
          boost::multi_index::ordered_unique<
              boost::multi_index::tag<ByAge>,
              boost::multi_index::const_mem_fun<
                  Entry, std::pair<bool, std::uint64_t>, &Entry::age>>,
          boost::multi_index::ordered_non_unique<
              boost::multi_index::tag<ByIndex>,
              boost::multi_index::const_mem_fun<Entry, int,
                                                &Entry::index_to_come>>>>;

public:
  /// The number of the next end.
  [[nodiscard]] EndNumber next() const noexcept {
    return {count_ + 1};
  }

  /// How many ends there have been.
  [[nodiscard]] std::uint64_t count_ever() const noexcept {
    return count_;
  }
  void set_count_ever(std::uint64_t count);

  /// Keeps one, under the next number. @pre It is new.
  /// @param open It is an attempt at an instance that is not done.
  void add(StoredExecutor executor, bool open);

  /// Keeps one under the number that it had, or under the next if it had none or
  /// another one has it.
  void restore(StoredExecutor executor, bool open);

  /// One that was lost has ended well, as is known now: that is an end of its own.
  /// Returns its record. @pre It is here.
  const StoredExecutor& set_ended_well(int exec_id, Instant when);

  /// Keeps what its worker says late, and returns its record. Null: it is not here, or that
  /// is no news.
  const StoredExecutor* take_late_end(int exec_id, const LateEnd& end);

  /// Takes one out. @pre It is here.
  StoredExecutor take(int exec_id);

  /// The instance is done: lost attempts at it do not come back.
  void is_done(int index);

  /// The application has heard of this end, and of all before.
  void heard(EndNumber last);

  /// Takes out what need not be kept, if more than `retained` are here, oldest
  /// first. Those that may come back do not count.
  std::vector<StoredExecutor> forget(int retained);

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] int size() const noexcept {
    return static_cast<int>(table_.size());
  }

  /// Nothing: it is not kept.
  [[nodiscard]] const StoredExecutor* find(int exec_id) const;

  /// Calls `f` with each, in the order of their ends.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& x : table_.get<ByNumber>())
      f(x.stored);
  }

  /// The same from the last one on, as long as `f` returns true.
  template <class F>
  void for_each_from_last(F&& f) const {
    const auto& all = table_.get<ByNumber>();
    for (auto i = all.rbegin(); i != all.rend() && f(i->stored); ++i) {
    }
  }

  /// The same, of those that the application may not have heard of.
  template <class F>
  void for_each_unheard(F&& f) const {
    const auto& all = table_.get<ByNumber>();
    for (auto i = all.upper_bound(heard_.value); i != all.end(); ++i)
      f(i->stored);
  }

  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  void insert(StoredExecutor&& executor, bool open);

  Table table_;
  std::uint64_t count_ = 0;
  EndNumber heard_;

  /// How many may come back.
  int coming_ = 0;
};

} // namespace stoker
