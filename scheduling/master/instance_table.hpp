#pragma once

#include <map>
#include <optional>
#include <string>

#include <boost/dynamic_bitset.hpp>

namespace stoker {

/// Which of an application's instances still have to be started, which need not
/// be started again, and how often each has failed.
///
/// Invariant: none waits that is done.
class InstanceTable {
public:
  /// All wait.
  explicit InstanceTable(int count);

  /// An attempt at it begins. @pre It waits.
  void begin_attempt(int index);

  /// An attempt at it is gone. One that another attempt has done stays done.
  void has_no_attempt(int index);

  void set_done(int index);

  /// It has failed once more. Returns how often it has now.
  int count_failure(int index);

  /// How it was stored.
  void restore(int index, bool done, int failures);

  // -- queries ----------------------------------------------------------------

  [[nodiscard]] int count() const noexcept {
    return static_cast<int>(done_.size());
  }

  /// Whether there is such an instance.
  [[nodiscard]] bool contains(int index) const noexcept {
    return index >= 0 && index < count();
  }

  [[nodiscard]] bool waits(int index) const {
    return contains(index) && waiting_.test(position(index));
  }

  [[nodiscard]] bool is_done(int index) const {
    return contains(index) && done_.test(position(index));
  }

  [[nodiscard]] int failures(int index) const;

  /// The lowest that waits. @pre One does.
  [[nodiscard]] int first_waiting() const;

  [[nodiscard]] int count_waiting() const noexcept {
    return waiting_count_;
  }

  [[nodiscard]] int count_done() const noexcept {
    return done_count_;
  }

  /// Recomputes the figures. Returns what is not as it should be, in one line.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  using Bits = boost::dynamic_bitset<>;

  static Bits::size_type position(int index) noexcept {
    return static_cast<Bits::size_type>(index);
  }

  /// A bit for each instance.
  Bits waiting_;
  Bits done_;
  int waiting_count_;
  int done_count_ = 0;

  /// None below waits.
  int waiting_from_ = 0;

  /// Of those that have failed.
  std::map<int, int> failures_;
};

} // namespace stoker
