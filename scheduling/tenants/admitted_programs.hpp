#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "messages/resources.hpp"
#include "messages/tenants_view.hpp"
#include "scheduling/common/keys.hpp"
#include "scheduling/tenants/tenant_numbers.hpp"

namespace stoker {

/// What an admitted application or driver waits for: nothing, room for another executor, or
/// room for several at once.
enum class Waits { no, for_room, at_once };

/// An application or driver that was admitted and has not ended.
struct AdmittedProgram {
  Member member;
  Selection selection = 0;

  /// What counts for it, and what it would like to count.
  Resources request;
  Resources wanted;

  /// The size of one executor, or of all that are needed at once: requests grow by
  /// whole ones.
  Resources unit;
  Resources running;
  Waits waits = Waits::no;

  // As in `TenantTree::Entry`.
  bool with_driver = false;
  Resources driver;
  Resources room;

  /// Returns the part of it in the figures of its user and all above.
  [[nodiscard]] TenantFigures figures() const noexcept {
    return {request, running, 0, 1, with_driver ? 1 : 0, driver};
  }

  /// What counts for it and is of no use to it yet.
  [[nodiscard]] Resources idle() const noexcept {
    return waits == Waits::at_once ? request - running : Resources{};
  }

  /// Whether it wants more than it has, and may be given that.
  [[nodiscard]] bool grows() const noexcept {
    return request != wanted && waits != Waits::at_once;
  }

  /// Whether its driver runs, and it grows from nothing.
  [[nodiscard]] bool is_driven() const noexcept {
    return with_driver && request == Resources{} && grows();
  }
};

/// The admitted applications and drivers, and those of them that want more.
///
/// Invariant: each is among those of its user that grow exactly while it
/// `grows`, and among those that are driven exactly while it `is_driven`; `waiting` is how
/// many wait for room, `idle` the sum of what is idle.
class AdmittedPrograms {
public:
  using Growing = std::set<std::pair<Selection, ProgramKey>>;

  /// @pre the key is new
  void add(ProgramKey key, const AdmittedProgram& program);

  /// Takes an application out. @pre it is admitted
  AdmittedProgram take(ProgramKey key);

  /// Null: not admitted.
  [[nodiscard]] const AdmittedProgram* find(ProgramKey key) const;

  // Of one that is admitted.
  void set_request(ProgramKey key, Resources request);
  void set_wanted(ProgramKey key, Resources wanted, Resources unit);
  void set_running(ProgramKey key, Resources running);
  void set_waiting(ProgramKey key, Waits waits);

  /// How many wait for room.
  [[nodiscard]] std::int64_t waiting() const noexcept {
    return waiting_;
  }

  /// What counts for those that wait for several executors at once, and that they
  /// do not run.
  [[nodiscard]] const Resources& idle() const noexcept {
    return idle_;
  }

  /// Those of a user that want more than they have, by selection.
  [[nodiscard]] const Growing& growing(UserNumber user) const {
    return growing_[user];
  }

  /// Those of a user that are driven, by selection.
  [[nodiscard]] const Growing& driven(UserNumber user) const {
    return driven_[user];
  }

  [[nodiscard]] const std::unordered_map<ProgramKey, AdmittedProgram>&
  programs() const noexcept {
    return programs_;
  }

  /// What is wrong, in one line. Looks at everything.
  [[nodiscard]] std::optional<std::string> invariant_violation() const;

private:
  friend struct TenantTestAccess;

  template <class Change>
  void change(ProgramKey key, Change change);
  void refresh_growing(ProgramKey key, const AdmittedProgram& program);

  std::unordered_map<ProgramKey, AdmittedProgram> programs_;
  ByNumber<UserNumber, Growing> growing_;
  ByNumber<UserNumber, Growing> driven_;
  std::int64_t waiting_ = 0;
  Resources idle_;
};

} // namespace stoker
